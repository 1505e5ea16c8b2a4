#pragma once
#include "core/policy/text.h"

namespace fermata {

constexpr size_t yaml_bytes_max = 2 << 20;
constexpr int yaml_nesting_max = 64;

/// One document of YAML as data: mappings with texts for keys, sequences, and scalars by the core
/// schema of YAML 1.2 (`yes` and `no` are texts). Refused, each with its place: anchors, aliases
/// and tags, a key given twice, a second document, more bytes or levels than the limits. JSON is
/// read as well.
Outcome<policy::ReadText> read_yaml(std::string_view text);

}  // namespace fermata
