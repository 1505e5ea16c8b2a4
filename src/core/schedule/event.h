#pragma once
#include <optional>
#include <string>
#include <variant>

#include "core/schedule/schedule.h"

/// What was decided about a schedule, in the past tense. The fold of the events is its state; each
/// lists its fields once, for the binary form and for people. Fields are only ever added at the
/// end.
namespace fermata::schedule {

struct ScheduleCreated {
  AccountId account;
  Spec spec;
  std::string request_hash;
  std::string by;
  template <class V>
  void each(V&& v) {
    v("account_id", account);
    spec.each(v);
    v("request_hash", request_hash);
    v("by", by);
  }
};
struct ScheduleUpdated {
  Spec spec;
  std::string by;
  template <class V>
  void each(V&& v) {
    spec.each(v);
    v("by", by);
  }
};
struct SchedulePaused {
  std::string by;
  template <class V>
  void each(V&& v) {
    v("by", by);
  }
};
struct ScheduleResumed {
  std::string by;
  template <class V>
  void each(V&& v) {
    v("by", by);
  }
};
/// The occurrence that is expected from now on, found after `counted_to`.
struct ScheduleArmed {
  std::optional<Instant> next;
  Instant counted_to;
  Instant counted_to_shown;  ///< what clocks showed then, as if it were UTC
  std::string tzdata_version;
  bool catching_up = false;  ///< it is of a downtime that is not decided to its end
  template <class V>
  void each(V&& v) {
    v("next", next);
    v("counted_to", counted_to);
    v("counted_to_shown", counted_to_shown);
    v("tzdata_version", tzdata_version);
    v("catching_up", catching_up);
  }
};
struct OccurrenceStarted {
  Instant occurrence;
  RunId run;
  Instant start_at;  ///< with its jitter
  Cause cause = Cause::rule;
  bool queued = false;  ///< it was the first of the queue
  template <class V>
  void each(V&& v) {
    v("occurrence", occurrence);
    v("execution_id", run);
    v("start_at", start_at);
    v("cause", cause);
    v("queued", queued);
  }
};
struct OccurrenceQueued {
  Instant occurrence;
  Cause cause = Cause::rule;
  template <class V>
  void each(V&& v) {
    v("occurrence", occurrence);
    v("cause", cause);
  }
};
/// Every occurrence of the rule from `first` to `last` is left out, for one reason: missed,
/// too_old, catch_up_limit, overlap, queue_full or live_limit.
struct OccurrencesSkipped {
  Instant first;
  Instant last;
  uint64_t count = 0;
  std::string reason;
  template <class V>
  void each(V&& v) {
    v("first", first);
    v("last", last);
    v("count", count);
    v("reason", reason);
  }
};
struct PreviousCancelled {
  RunId run;
  template <class V>
  void each(V&& v) {
    v("execution_id", run);
  }
};
struct BackfillRequested {
  Instant from;
  Instant to;
  uint64_t count = 0;
  std::string by;
  template <class V>
  void each(V&& v) {
    v("from", from);
    v("to", to);
    v("count", count);
    v("by", by);
  }
};
struct ScheduledRunEnded {
  RunId run;
  std::string status;
  template <class V>
  void each(V&& v) {
    v("execution_id", run);
    v("status", status);
  }
};
struct StartRefused {
  RunId run;
  std::string code;
  std::string message;
  template <class V>
  void each(V&& v) {
    v("execution_id", run);
    v("code", code);
    v("message", message);
  }
};
/// No occurrence comes any more: end_at, max_runs or never.
struct ScheduleEnded {
  std::string reason;
  template <class V>
  void each(V&& v) {
    v("reason", reason);
  }
};
struct ScheduleDeleted {
  std::string by;
  template <class V>
  void each(V&& v) {
    v("by", by);
  }
};

/// The position in this list is the stored tag: only ever add at the end.
using EventBody = std::variant<ScheduleCreated, ScheduleUpdated, SchedulePaused, ScheduleResumed,
                               ScheduleArmed, OccurrenceStarted, OccurrenceQueued,
                               OccurrencesSkipped, PreviousCancelled, BackfillRequested,
                               ScheduledRunEnded, StartRefused, ScheduleEnded, ScheduleDeleted>;
std::string_view type_name(const EventBody& body);

struct Event {
  uint64_t sequence = 0;
  Instant at;
  EventBody body;
};

}  // namespace fermata::schedule
