#include "core/schedule/history.h"

#include <array>

#include "base/fields.h"
#include "core/model/chunk_codec.h"
#include "core/schedule/decide.h"

namespace fermata::schedule {
namespace {

constexpr uint8_t history_format = 1;
constexpr std::string_view whose = "schedule ";

}  // namespace

std::string_view type_name(const EventBody& body) {
  static constexpr std::array<std::string_view, std::variant_size_v<EventBody>> names = {
      "ScheduleCreated",   "ScheduleUpdated",   "SchedulePaused",    "ScheduleResumed",
      "ScheduleArmed",     "OccurrenceStarted", "OccurrenceQueued",  "OccurrencesSkipped",
      "PreviousCancelled", "BackfillRequested", "ScheduledRunEnded", "StartRefused",
      "ScheduleEnded",     "ScheduleDeleted"};
  return names[body.index()];
}

HistoryChunk encode_history(const std::vector<Event>& events) {
  return write_chunk(history_format, events, [](ByteWriter& out, const auto& body) {
    ByteWriter fields;
    FieldWriter(fields).put(body);
    out.text(fields.bytes());
  });
}

Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk) {
  return read_chunk<Event>(whose, history_format, chunk, [](ByteReader& in, auto& body) {
    FieldReader(in).take_extensible(body);
  });
}

Outcome<Schedule> fold(const ScheduleId& id, const std::vector<HistoryChunk>& history) {
  Schedule schedule;
  schedule.id = id;
  return fold_on(std::move(schedule), history);
}

Outcome<Schedule> fold_on(Schedule schedule, const std::vector<HistoryChunk>& history) {
  for (const HistoryChunk& chunk : history) {
    if (chunk.first_sequence != schedule.last_sequence + 1) return damaged_chunk(whose, chunk);
    FERMATA_TRY(events, schedule::decode_history(chunk));
    bool begins =
        schedule.last_sequence > 0 || std::holds_alternative<ScheduleCreated>(events.front().body);
    if (!begins) return damaged_chunk(whose, chunk);
    for (const Event& event : events) evolve(schedule, event);
  }
  return schedule;
}

}  // namespace fermata::schedule
