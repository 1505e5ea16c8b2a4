#pragma once
#include <span>
#include <string_view>

#include "base/error.h"
#include "core/job/words.h"

namespace fermata::job {

/// Why a job moves from one state to another.
enum class Cause : uint8_t {
  submit,
  allow,  ///< also with constraints, and by an open fail mode
  require_approval,
  deny,      ///< or a verdict we do not know
  postpone,  ///< throttled, or policy is unavailable
  approve,
  pass_gate,  ///< a job that is nothing but its approval
  reject,
  approval_expiry,
  amend,
  place,
  give_up,  ///< scheduling attempts used up
  queue_timeout,
  sign_of_life,
  succeed,
  hold_output,  ///< the output is scanned before it is released
  quarantine,
  attempt_again,    ///< the attempt ended, a further one is due
  attempts_failed,  ///< … is not, and the last one failed
  attempts_timed_out,
  fail_fatally,
  backoff_over,
  cancel,
  deadline,
  withdraw_output,  ///< a late scan refuses
  release_output,   ///< by an operator
};
constexpr Cause last_of(Cause) { return Cause::release_output; }
std::string_view name_of(Cause cause);

struct Move {
  State from;
  Cause cause;
  State to;
  bool dead_letter;  ///< the commit also opens an entry of the dead letter queue
};

/// The table itself.
std::span<const Move> moves();
/// The row for a state and a cause, or null.
const Move* find_move(State from, Cause cause);
/// The same, or `wrong_state` with a reason.
Outcome<Move> permit(State from, Cause cause);

}  // namespace fermata::job
