#pragma once
#include <string>

#include "base/error.h"
#include "core/model/run.h"

namespace fermata {

/// The whole state of a run as bytes: equal states give equal bytes. Contexts that are shared are
/// written once, and so are values that are equal: ten thousand branches of a split do not repeat
/// what their run knew before it.
std::string encode_snapshot(const Run& run);
/// The definition is not part of the bytes and must be the one the state was made with.
Outcome<Run> decode_snapshot(std::string_view bytes, graph::DefinitionRef definition);

}  // namespace fermata
