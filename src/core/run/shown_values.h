#pragma once
#include "base/value.h"

namespace fermata::view {

/// A value larger than this, as JSON, is shown as {"ref", "bytes"} where many are shown together
/// (G-102). The ref is `sequence/field` and leads to it by GET /executions/{id}/values/{ref}.
constexpr size_t shown_value_bytes_max = 16 << 10;

/// An event as it is shown, with its large fields replaced.
Value with_references(Value shown, uint64_t sequence);

}  // namespace fermata::view
