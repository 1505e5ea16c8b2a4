#pragma once
#include <string_view>

#include "core/flow/expression.h"

namespace fermata::flow {

/// The failure of G-15: a reference, and its beginning up to the part that was missing.
EvalError unresolved_reference(std::string_view reference, std::string_view missing);

}  // namespace fermata::flow
