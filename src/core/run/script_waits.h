#pragma once
#include "core/model/run.h"

/// Timers and signals that a script waits for, as waits that people see (W-70). Used by evolve: the
/// records of the script decide, and a wait stands beside each of them while it is pending.
namespace fermata {

/// What may have ended a wait of a script.
enum class ScriptCause : uint8_t { by_itself, timer, hand };

/// Brings the wait of one awaitable into line with its record.
void follow_awaitable(Run& run, uint32_t number, ScriptCause cause, Instant at);
/// The same of those that the machine has opened since, and of what has no timer to tell of it; or
/// of `all` that are known.
void follow_script(Run& run, uint32_t last_number, Instant at, bool all = false);

}  // namespace fermata
