#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/model/summary.h"

/// What a run has done that can be undone, and how far undoing it has come (jobs.md §8). It belongs
/// to its run: only the run's events change it.
namespace fermata {

/// Recorded, then submitted; parked ones wait for people.
enum class UndoStatus : uint8_t { recorded, submitted, done, parked, skipped };
constexpr UndoStatus last_of(UndoStatus) { return UndoStatus::skipped; }
std::string_view name_of(UndoStatus status);
/// Nothing more will happen to the entry.
constexpr bool is_settled(UndoStatus status) {
  return status == UndoStatus::done || status == UndoStatus::skipped;
}

struct SagaEntry {
  static constexpr bool extensible = true;
  uint32_t seq = 0;  ///< from 1, in the order the work was done
  JobId job;         ///< whose work is undone
  std::string step;  ///< of the run that asked for it, or empty
  Value request;     ///< of the job that undoes it
  std::string idempotency_key;
  std::string problem{};  ///< why the request could not be made; it is skipped with a dead letter
  bool late = false;      ///< the work was told of after its attempt had been given up
  Instant at;
  UndoStatus status = UndoStatus::recorded;
  JobId undo_job{};       ///< the latest that was submitted for it
  uint32_t attempts = 0;  ///< jobs submitted for it
  std::string reason_code{};
  std::string reason{};
  std::string by{};  ///< who skipped it
  bool operator==(const SagaEntry&) const = default;
  template <class V>
  void each(V&& v) {
    v("seq", seq);
    v("job_id", job);
    v("step_id", step);
    v("request", request);
    v("idempotency_key", idempotency_key);
    v("problem", problem);
    v("late", late);
    v("at", at);
    v("status", status);
    v("comp_job_id", undo_job);
    v("attempts", attempts);
    v("reason_code", reason_code);
    v("reason", reason);
    v("by", by);
  }
};

/// How the run ends when everything is undone.
struct RunEnding {
  static constexpr bool extensible = true;
  RunStatus status = RunStatus::failed;
  Value error{};
  std::string reason{};
  std::string by{};
  bool operator==(const RunEnding&) const = default;
  template <class V>
  void each(V&& v) {
    v("status", status);
    v("error", error);
    v("reason", reason);
    v("by", by);
  }
};

/// A job that was stopped because the run is undone. Its worker may be at it still: nothing is
/// undone until it has let go, or `until`.
struct AwaitedStop {
  static constexpr bool extensible = true;
  JobId job;
  std::optional<Instant> until{};  ///< absent: the job itself has not answered yet
  bool operator==(const AwaitedStop&) const = default;
  template <class V>
  void each(V&& v) {
    v("job_id", job);
    v("until", until);
  }
};

struct Saga {
  static constexpr bool extensible = true;
  std::vector<SagaEntry> entries{};
  bool rolling_back = false;
  bool rolled_back = false;
  std::string trigger{};  ///< failed_fatal, rollback, on_failure or cancel; empty: nobody asked
  std::string by{};
  std::optional<Instant> started_at{};
  std::optional<Instant> ended_at{};
  RunEnding ending{};
  std::vector<AwaitedStop> awaited{};
  std::vector<JobId> members{};  ///< jobs outside a run that share it and have not ended (J-76)
  std::optional<Instant> idle_until{};  ///< when one of such jobs alone ends by itself
  bool operator==(const Saga&) const = default;
  template <class V>
  void each(V&& v) {
    v("entries", entries);
    v("rolling_back", rolling_back);
    v("rolled_back", rolled_back);
    v("trigger", trigger);
    v("by", by);
    v("started_at", started_at);
    v("ended_at", ended_at);
    v("ending", ending);
    v("awaited", awaited);
    v("members", members);
    v("idle_until", idle_until);
  }
  const SagaEntry* of_job(const JobId& job) const;
  SagaEntry* find(uint32_t seq);
  const SagaEntry* find(uint32_t seq) const { return const_cast<Saga*>(this)->find(seq); }
  /// The newest entry with which something is still to happen, or null.
  const SagaEntry* newest_unsettled() const;
  const SagaEntry* submitted() const;
};

/// What people are shown of it, given how the run stands.
SagaStatus status_of(const Saga& saga, RunStatus run);

}  // namespace fermata
