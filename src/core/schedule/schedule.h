#pragma once
#include <deque>
#include <map>
#include <set>

#include "core/schedule/spec.h"

/// The state of a schedule, which is a root of its own (F-61). Only `evolve` changes it; everything
/// here is the fold of the schedule's history.
namespace fermata::schedule {

/// Names a schedule among those of all accounts: ids are an account's own.
struct Key {
  AccountId account;
  ScheduleId id;
  auto operator<=>(const Key&) const = default;
};

/// Why a run is started.
enum class Cause : uint8_t { rule, backfill, trigger };
std::string_view name_of(Cause cause);
constexpr Cause last_of(Cause) { return Cause::trigger; }

struct QueuedOccurrence {
  Instant at;
  Cause cause = Cause::rule;
  bool operator==(const QueuedOccurrence&) const = default;
};
struct LiveRun {
  Instant occurrence;
  Cause cause = Cause::rule;
  bool operator==(const LiveRun&) const = default;
};

enum class Status : uint8_t { active, paused, ended, deleted };
std::string_view name_of(Status status);
constexpr Status last_of(Status) { return Status::deleted; }

struct Schedule {
  ScheduleId id;
  AccountId account;
  Spec spec;
  std::string request_hash;
  Instant created_at;
  Instant last_at;             ///< of the latest event: a history never goes back in time
  uint64_t last_sequence = 0;  ///< 0: the schedule does not exist
  uint64_t revision = 0;       ///< of the specification: counts up with each change of it

  bool paused = false;
  bool deleted = false;
  std::string ended;  ///< why no occurrence comes any more; empty while one may

  /// The occurrence that is expected; none while paused, ended or deleted.
  std::optional<Instant> next;
  /// Occurrences up to here are decided and never come again.
  Instant counted_to;
  /// What the clocks of the zone showed then.
  LocalTime counted_to_local;
  std::string tzdata_version;  ///< by which `next` was found
  bool catching_up = false;    ///< after downtime, with more of it to be decided
  uint64_t caught_up = 0;      ///< started in this catching up

  uint64_t runs_started = 0;  ///< by the rule
  uint64_t skipped = 0;
  std::optional<Instant> last_occurrence;
  RunId last_run;
  std::deque<QueuedOccurrence> queue;
  std::map<RunId, LiveRun> live;  ///< started and not known to be over

  Key key() const { return {account, id}; }
  bool exists() const { return last_sequence > 0 && !deleted; }
  Status status() const {
    if (deleted) return Status::deleted;
    if (paused) return Status::paused;
    return ended.empty() ? Status::active : Status::ended;
  }
  bool operator==(const Schedule&) const = default;
};

/// The id of the run that an occurrence starts: derived, so that a repeat starts none.
RunId run_of(const Schedule& schedule, Instant occurrence);
RunId triggered_run_of(const Schedule& schedule, std::string_view key);

/// What lists and the alarm need to know without opening the schedule; written with every commit.
struct ScheduleSummary {
  ScheduleId id;
  AccountId account;
  WorkflowId workflow;
  Status status = Status::active;
  std::optional<Instant> next_due;  ///< when it wants to be looked at
  uint64_t last_sequence = 0;
  bool by_clock = false;  ///< a cron rule: new zone data may move its next occurrence
  std::string tzdata_version;
  std::string request_hash;
  Key key() const { return {account, id}; }
  bool operator==(const ScheduleSummary&) const = default;
  template <class V>
  void each(V&& v) {
    v("id", id);
    v("account_id", account);
    v("workflow_id", workflow);
    v("status", status);
    v("next_due", next_due);
    v("last_sequence", last_sequence);
    v("by_clock", by_clock);
    v("tzdata_version", tzdata_version);
    v("request_hash", request_hash);
  }
};
ScheduleSummary summarize(const Schedule& schedule);

}  // namespace fermata::schedule
