#pragma once
#include "base/value.h"

namespace fermata::flow {

/// The same JSON at places of its own. Copies of a Value share what lies inside, and JSON that a
/// script is given is told apart by address: two results that share a list would be one list to it
/// until the run is opened again from the store.
Value own_copy(const Value& value);

}  // namespace fermata::flow
