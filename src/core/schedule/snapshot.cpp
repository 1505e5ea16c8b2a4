#include "core/schedule/snapshot.h"

#include "base/fields.h"

namespace fermata::schedule {
namespace {

constexpr uint8_t state_format = 1;

struct QueuedField {
  Instant at;
  Cause cause = Cause::rule;
  template <class V>
  void each(V&& v) {
    v("at", at);
    v("cause", cause);
  }
};
struct LiveField {
  RunId run;
  Instant occurrence;
  Cause cause = Cause::rule;
  template <class V>
  void each(V&& v) {
    v("execution_id", run);
    v("occurrence", occurrence);
    v("cause", cause);
  }
};
struct SpecField {
  static constexpr bool extensible = true;
  Spec spec;
  template <class V>
  void each(V&& v) {
    spec.each(v);
  }
};

/// A schedule as fields. Only ever add at the end.
struct StateFields {
  ScheduleId id;
  AccountId account;
  SpecField spec;
  std::string request_hash;
  Instant created_at;
  Instant last_at;
  uint64_t last_sequence = 0;
  bool paused = false;
  bool deleted = false;
  std::string ended;
  std::optional<Instant> next;
  Instant counted_to;
  Instant counted_to_shown;
  std::string tzdata_version;
  bool catching_up = false;
  uint64_t caught_up = 0;
  uint64_t runs_started = 0;
  uint64_t skipped = 0;
  std::optional<Instant> last_occurrence;
  RunId last_run;
  std::vector<QueuedField> queue;
  std::vector<LiveField> live;
  uint64_t revision = 0;

  template <class V>
  void each(V&& v) {
    v("id", id);
    v("account_id", account);
    v("spec", spec);
    v("request_hash", request_hash);
    v("created_at", created_at);
    v("last_at", last_at);
    v("last_sequence", last_sequence);
    v("paused", paused);
    v("deleted", deleted);
    v("ended", ended);
    v("next", next);
    v("counted_to", counted_to);
    v("counted_to_shown", counted_to_shown);
    v("tzdata_version", tzdata_version);
    v("catching_up", catching_up);
    v("caught_up", caught_up);
    v("runs_started", runs_started);
    v("skipped", skipped);
    v("last_occurrence", last_occurrence);
    v("last_run", last_run);
    v("queue", queue);
    v("live", live);
    v("revision", revision);
  }
};

StateFields fields_of(const Schedule& schedule) {
  StateFields fields{schedule.id,
                     schedule.account,
                     {schedule.spec},
                     schedule.request_hash,
                     schedule.created_at,
                     schedule.last_at,
                     schedule.last_sequence,
                     schedule.paused,
                     schedule.deleted,
                     schedule.ended,
                     schedule.next,
                     schedule.counted_to,
                     as_if_utc(schedule.counted_to_local),
                     schedule.tzdata_version,
                     schedule.catching_up,
                     schedule.caught_up,
                     schedule.runs_started,
                     schedule.skipped,
                     schedule.last_occurrence,
                     schedule.last_run,
                     {},
                     {},
                     schedule.revision};
  for (const QueuedOccurrence& queued : schedule.queue)
    fields.queue.push_back({queued.at, queued.cause});
  for (const auto& [run, live] : schedule.live)
    fields.live.push_back({run, live.occurrence, live.cause});
  return fields;
}

Schedule schedule_of(StateFields fields) {
  Schedule schedule;
  schedule.id = std::move(fields.id);
  schedule.account = std::move(fields.account);
  schedule.spec = std::move(fields.spec.spec);
  schedule.request_hash = std::move(fields.request_hash);
  schedule.created_at = fields.created_at;
  schedule.last_at = fields.last_at;
  schedule.last_sequence = fields.last_sequence;
  schedule.paused = fields.paused;
  schedule.deleted = fields.deleted;
  schedule.ended = std::move(fields.ended);
  schedule.next = fields.next;
  schedule.counted_to = fields.counted_to;
  schedule.counted_to_local = local_as_if_utc(fields.counted_to_shown);
  schedule.tzdata_version = std::move(fields.tzdata_version);
  schedule.catching_up = fields.catching_up;
  schedule.caught_up = fields.caught_up;
  schedule.runs_started = fields.runs_started;
  schedule.skipped = fields.skipped;
  schedule.last_occurrence = fields.last_occurrence;
  schedule.last_run = std::move(fields.last_run);
  schedule.revision = fields.revision;
  for (const QueuedField& queued : fields.queue)
    schedule.queue.push_back({queued.at, queued.cause});
  for (LiveField& live : fields.live)
    schedule.live.emplace(std::move(live.run), LiveRun{live.occurrence, live.cause});
  return schedule;
}

}  // namespace

std::string encode_state(const Schedule& schedule) {
  ByteWriter fields;
  FieldWriter(fields).put(fields_of(schedule));
  ByteWriter out;
  out.u8(state_format);
  out.text(fields.bytes());
  return std::string(out.bytes());
}

Outcome<Schedule> decode_state(std::string_view bytes) {
  ByteReader in(bytes);
  bool known = in.u8() == state_format;
  StateFields fields;
  if (known) FieldReader(in).take_extensible(fields);
  if (!known || !in.done() || fields.last_sequence == 0)
    return fail(ErrorCode::data_damaged, "the stored state of a schedule is damaged");
  return schedule_of(std::move(fields));
}

}  // namespace fermata::schedule
