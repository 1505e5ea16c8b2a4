#pragma once
#include <string>

#include "base/error.h"
#include "core/model/event.h"

/// The waits of a run beside the tokens that stand at them. Used by evolve alone, except for the
/// readers at the end: each change leaves the wait as it then is in `wait_changes`.
namespace fermata {

/// How a wait ended (W-63).
struct WaitEnd {
  WaitStatus status = WaitStatus::cancelled;
  std::string resumed_by{};
  std::string reason{};
  std::string signal_id{};
  Value outcome{};
};

void open_wait(Run& run, const WaitOpened& event, Instant at);
/// What a token that waits for a signal knows of it.
Value signal_wait_parameters(const WaitOpened& event);
/// What its token came to ends it; nothing when no wait stands there.
void end_wait(Run& run, TokenId token, WaitEnd end);
void end_wait(Run& run, const WaitResumed& event, Instant at);
/// Of an awaitable of a script (core/run/script_waits.h).
void open_script_wait(Run& run, uint64_t number, Wait wait);
void end_script_wait(Run& run, uint64_t number, WaitEnd end);
/// A token that fails at its wait ran into the timeout, or could not be resumed.
void fail_wait(Run& run, TokenId token);
/// Stands for the reason of the run's end, which the event after this one tells.
inline constexpr const char* run_ends = "run_ends";
void cancel_all_waits(Run& run, const std::string& reason);
void end_all_waits(Run& run, const std::string& reason);
void hold_for_pause(Run& run, bool paused);
/// A run that goes on where another one was begins its waits anew: other ids, occurrences from 1.
void take_over_waits(Run& run, Instant at);
/// Gives the changes since `from` their time.
void date_changes(Run& run, size_t from, Instant at);

void apply(Run& run, const WaitCancelled& event, Instant at);
void apply(Run& run, const WaitChanged& event, Instant at);
void apply(Run& run, const WaitHeld& event, Instant at);
void apply(Run& run, const WaitReleased& event, Instant at);
void apply(Run& run, const WaitRegistered& event, Instant at);
void apply(Run& run, const WaitEnded& event, Instant at);
void apply(Run& run, const SignalMatched& event, Instant at);
void apply(Run& run, const ResumeFailed& event, Instant at);

/// How a request for a wait stands among the ids that the run has taken.
inline std::string taken_request(const std::string& request) { return "wait " + request; }
/// The id of the next wait that is opened at a step.
std::string next_wait_id(const Run& run, const std::string& step);
/// The wait with this id, or null.
const std::pair<const WaitKey, Wait>* find_wait(const Run& run, const std::string& id);
/// The wait with this id while its token stands at it; else why there is none to act on.
Outcome<WaitKey> standing_wait(const Run& run, const std::string& id);
Failure<Error> wait_has_ended();
/// Takes the changes out of the run, each wait once, with the names of what it belongs to.
std::vector<WaitRecord> take_wait_changes(Run& run);

}  // namespace fermata
