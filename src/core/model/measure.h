#pragma once
#include <cstdint>

#include "core/model/context.h"

namespace fermata {

/// About as many bytes as the value takes as JSON, counting shared parts as often as they occur.
uint64_t approximate_bytes(const Value& value);
/// The same over all entries of a context, shared parts once (G-110).
uint64_t reachable_bytes(const Context& context);

}  // namespace fermata
