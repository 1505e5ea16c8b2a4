#pragma once
#include <set>
#include <vector>

#include "base/random.h"
#include "core/run/decide.h"

namespace fermata {

/// A decision in the making: every event it emits is folded into the run at once, so that what
/// follows sees what came before.
class Step {
 public:
  Step(Run& run, const Given& given)
      : run(run),
        given(given),
        // A history never goes back in time, even when the clock does (W-49).
        at(given.now > run.last_at ? given.now : run.last_at),
        endings_before(run.endings),
        waits_before(run.waits_counted),
        random(given.entropy) {}

  template <class E>
  void emit(E body) {
    // Events are large, and few decisions have more of them than this.
    if (decision.events.empty()) decision.events.reserve(8);
    Event& event = decision.events.emplace_back(Event{run.last_sequence + 1, at, std::move(body)});
    evolve(run, event);
  }
  void touch(Lineage lineage) {
    if (touched.empty() || touched.back() != lineage) touched.push_back(lineage);
  }
  void post(Post post) { decision.posts.push_back(std::move(post)); }
  void effect(Effect effect) { decision.effects.push_back(std::move(effect)); }

  Run& run;
  const Given& given;
  const Instant at;
  const uint64_t endings_before;  ///< that were told by earlier decisions
  const uint32_t waits_before;    ///< that counted in the account's limit
  int64_t listeners_opened = 0;   ///< by this decision, of those that a limit counts
  Random random;
  Decision decision;
  uint32_t activations = 0;      ///< spent of steps_per_commit
  std::vector<Lineage> touched;  ///< where tokens moved: their merges are judged again
  std::set<TokenId> here{};      ///< came by a broker: they run here and are not sent again
  JobId settled{};               ///< the job whose end this decision is told of, or empty
  flow::StepPool pool;           ///< of the activation under way
  uint64_t steps = 0;            ///< that earlier activations of this decision took from theirs
  /// The program is at its end: the run has ended, or is being undone first.
  bool over() const { return run.finished() || run.saga.rolling_back; }
  /// Other runs get their turn after so many activations, or after one that took long.
  bool spent() const {
    return activations >= given.limits.steps_per_commit ||
           steps + (pool.steps_max - pool.left) >= given.limits.activation_steps_max;
  }
};

/// The activation a token is in or about to begin.
Activation activation_of(const Run& run, TokenId id);

// One file each. They check first and refuse without a trace, then emit.
Outcome<void> on_start(Step& step, const Command& command, const StartRun& start);
/// A token of another program at a run that is known (C-56, C-57).
Outcome<void> on_arrival(Step& step, const Command& command, const StartRun& start);
/// The same as the first of a new run; `check_arrival` says whether it can be, before any event.
Outcome<void> check_arrival(const Step& step, const ForeignToken& token);
void take_arrival(Step& step, const ForeignToken& token, const std::string& by);
Outcome<void> on_take_hop(Step& step, const TakeHop& hop);
Outcome<void> on_wake(Step& step);
Outcome<void> on_answer(Step& step, const CallAnswer& answer);
Outcome<void> on_recover(Step& step, const RecoverCalls& recover);
Outcome<void> on_cancel(Step& step, const Command& command, const CancelRun& cancel);
/// The same for a graph or a script.
Outcome<void> cancel_run(Step& step, const Command& command, const CancelRun& cancel);
Outcome<void> on_cancel_script(Step& step, const Command& command, const CancelRun& cancel);
Outcome<void> on_pause(Step& step, const Command& command);
Outcome<void> on_resume(Step& step, const Command& command);
Outcome<void> on_signal(Step& step, const SignalRun& signal);
Outcome<void> on_resume_wait(Step& step, const ResumeWait& resume);
Outcome<void> on_cancel_wait(Step& step, const Command& command, const CancelWait& cancel);
Outcome<void> on_change_wait(Step& step, const Command& command, const ChangeWait& change);
Outcome<void> on_hold_waits(Step& step, const Command& command, const HoldWaits& hold);
Outcome<void> on_release_waits(Step& step, const Command& command, const ReleaseWaits& release);
Outcome<void> on_answer_approval(Step& step, const Command& command, const AnswerApproval& answer);
Outcome<void> on_open_wait(Step& step, const Command& command, const OpenWait& open);
Outcome<void> on_complete(Step& step, const CompleteRun& complete);
Outcome<void> on_take_answer(Step& step, const Command& command, const TakeAnswer& answer);
Outcome<void> on_offer(Step& step, const OfferSignal& offer);
/// What was retained goes first: a timeout that is decided now does not overtake it.
void take_retained(Step& step);
Outcome<void> on_follow_contact(Step& step, const Command& command);
/// True when the command tells of a resume that failed, and a wait of the run is to blame (W-66).
bool note_failed_resume(Step& step, const Command& command);
/// Waits that came from local time are computed anew under other zone data (W-48).
Outcome<void> on_follow_zones(Step& step);
Outcome<void> on_achieve_goals(Step& step, const AchieveGoals& achieve);
Outcome<void> refuse_goals(const Run& run, const AchieveGoals& achieve);
/// Writes down the goals that are new; true when the run has reached all that end it.
bool note_goals(Step& step, const AchieveGoals& achieve);
Outcome<void> on_job_settled(Step& step, const SettleJob& settle);
Outcome<void> on_child_settled(Step& step, const SettleChild& settle);
Outcome<void> on_signal_settled(Step& step, const SettleSignal& settle);
/// Every command but a start, for a run of a script.
Outcome<void> decide_script(Step& step, const Command& command);
/// Something a script waits for has ended; it goes on if it can.
void settle_awaited(Step& step, uint32_t number, flow::AwaitableStatus status, Value result);
Outcome<void> on_wake_script(Step& step);
/// Ends a script because a wait of its run says so (W-47).
void exit_script(Step& step, const std::string& reason);
/// Ends a script at once; none of it sees why (F-28).
void fail_script(Step& step, Value error);
/// Lets the machine run once.
void activate_script(Step& step);
/// Lets the machine run as long as a fiber can go on; ends the run when the script has ended.
void advance_script(Step& step);
/// Tells those who wait for this run that it has ended; stops what only it wanted.
void report_end(Step& step);
Outcome<void> on_migrate(Step& step, const MigrateRun& migrate);

}  // namespace fermata
