#include "core/schedule/step.h"

namespace fermata::schedule {
namespace {

/// Occurrences that are left out for one reason in a row, written as one event.
class SkippedRow {
 public:
  explicit SkippedRow(Step& step) : step_(step) {}
  ~SkippedRow() { write(); }
  SkippedRow(const SkippedRow&) = delete;

  void add(Instant occurrence, std::string_view reason) {
    if (reason != row_.reason) write();
    if (row_.count == 0) row_ = {occurrence, occurrence, 0, std::string(reason)};
    row_.last = occurrence;
    ++row_.count;
  }
  void write() {
    if (row_.count > 0) step_.emit(std::exchange(row_, {}));
  }

 private:
  Step& step_;
  OccurrencesSkipped row_;
};

/// The due occurrences of one wake-up, oldest first.
class DueOccurrences {
 public:
  DueOccurrences(Step& step, const Rule& rule)
      : step_(step),
        rule_(rule),
        skipped_(step),
        // A timer may be late; only more than that is downtime, and stays so until its end.
        downtime_(step.schedule.catching_up ||
                  step.given.now - *step.schedule.next > Duration{step.given.limits.late_ms_max}),
        caught_up_(step.schedule.caught_up) {}

  /// Decides as many as one commit may hold and gives the last of them.
  Instant decide() {
    Instant occurrence = *step_.schedule.next;
    for (uint64_t count = 1;; ++count) {
      std::optional<Instant> after = rule_.next(occurrence);
      bool newest = !after || *after > step_.given.now;
      one(occurrence, newest);
      bool over = newest || count >= step_.given.limits.occurrences_per_commit ||
                  is_used_up(step_.schedule);
      if (over) {
        more_ = !newest;
        skipped_.write();
        return occurrence;
      }
      occurrence = *after;
    }
  }
  bool catching_up() const { return downtime_ && more_; }

 private:
  void one(Instant occurrence, bool newest) {
    std::string_view reason = downtime_ ? reason_to_miss(occurrence, newest) : std::string_view();
    if (reason.empty()) reason = reason_to_skip(step_);
    if (!reason.empty()) return skipped_.add(occurrence, reason);
    // What was skipped before stands before it in the history.
    skipped_.write();
    take(step_, occurrence);
    ++caught_up_;
  }

  std::string_view reason_to_miss(Instant occurrence, bool newest) const {
    const Spec& spec = step_.schedule.spec;
    if (step_.given.now - occurrence > Duration{spec.catch_up_ms}) return "too_old";
    switch (spec.catch_up) {
      case CatchUp::one: return newest ? "" : "missed";
      case CatchUp::all:
        return caught_up_ < step_.given.limits.catch_up_max ? "" : "catch_up_limit";
      case CatchUp::none: break;
    }
    return "missed";
  }

  Step& step_;
  const Rule& rule_;
  SkippedRow skipped_;
  bool downtime_;
  bool more_ = false;
  uint64_t caught_up_;
};

}  // namespace

Outcome<void> on_wake(Step& step, const WakeSchedule& wake) {
  const Schedule& schedule = step.schedule;
  bool due = schedule.next && *schedule.next <= step.given.now;
  if (!due) return fail(ErrorCode::nothing_due, "no occurrence is due yet");
  if (wake.occurrence && *wake.occurrence != *schedule.next)
    return fail(ErrorCode::nothing_due,
                "the occurrence at " + to_rfc3339(*wake.occurrence) + " is not the expected one");
  FERMATA_TRY(rule, rule_of(step));
  DueOccurrences occurrences(step, rule);
  Instant last = occurrences.decide();
  // Counted from the occurrence, not from now: a late wake-up shifts nothing.
  arm(step, rule, last, occurrences.catching_up());
  return {};
}

}  // namespace fermata::schedule
