#pragma once
#include <string>
#include <string_view>

#include "core/run/history.h"

namespace fermata {

/// The whole state of a run with the hash of its definition, in a form that is stored: a fold may
/// begin here instead of at sequence 1. Equal states give equal bytes.
std::string encode_checkpoint(const Run& run);

/// The state that `encode_checkpoint` wrote. Fails with data_damaged when the bytes are not of this
/// run, cannot be read, or were written by a program that writes them in another way.
Outcome<Run> restore_checkpoint(const RunId& id, std::string_view bytes,
                                const DefinitionLookup& definitions);

}  // namespace fermata
