#pragma once
#include <optional>
#include <string_view>

#include "core/graph/nodes/node.h"

namespace fermata::graph {

enum class CastType : uint8_t { automatic, string, number, boolean, json };
constexpr std::string_view cast_choices = "auto|string|number|boolean|json";
CastType cast_type_of(std::string_view choice);

/// Brings an assigned value into the type that `edit` asks for (G-52): string is the text form,
/// number takes numeric text, boolean takes true/false/yes/no/1/0 in any case, json parses text and
/// leaves other values alone. `cast_failed` says what could not be read; `name` is the
/// assignment's.
Result<Value, NodeError> cast(Value value, CastType type, std::string_view name);

}  // namespace fermata::graph
