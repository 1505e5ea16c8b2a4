#include "core/schedule/history.h"

#include <array>

#include "base/check.h"
#include "base/fields.h"
#include "core/schedule/decide.h"

namespace fermata::schedule {
namespace {

constexpr uint8_t history_format = 1;

template <size_t... I>
bool read_body(ByteReader& in, size_t tag, EventBody& body, std::index_sequence<I...>) {
  FieldReader reader(in);
  return ((tag == I ? (body.emplace<I>().each(reader), true) : false) || ...);
}

Failure<Error> damaged(const HistoryChunk& chunk) {
  return fail(ErrorCode::data_damaged, "history chunk at sequence " +
                                           std::to_string(chunk.first_sequence) +
                                           " of a schedule cannot be read");
}

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
  check(!events.empty());
  ByteWriter out;
  out.u8(history_format);
  out.zigzag(events.front().at.ms);
  FieldWriter writer(out);
  for (const Event& event : events) {
    check(event.at == events.front().at);
    out.u8(static_cast<uint8_t>(event.body.index()));
    // `each` visits fields by reference; writing does not change them.
    std::visit(
        [&](const auto& body) {
          const_cast<std::remove_cvref_t<decltype(body)>&>(body).each(writer);
        },
        event.body);
  }
  return {events.front().sequence, static_cast<uint32_t>(events.size()), out.take()};
}

Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk) {
  ByteReader in(chunk.bytes);
  if (in.u8() != history_format) return damaged(chunk);
  Instant at{in.zigzag()};
  std::vector<Event> events;
  if (chunk.count == 0 || chunk.count > chunk.bytes.size()) return damaged(chunk);
  events.reserve(chunk.count);
  for (uint32_t i = 0; i < chunk.count; ++i) {
    Event& event = events.emplace_back();
    event.sequence = chunk.first_sequence + i;
    event.at = at;
    if (!read_body(in, in.u8(), event.body,
                   std::make_index_sequence<std::variant_size_v<EventBody>>()) ||
        !in.ok())
      return damaged(chunk);
  }
  if (!in.done()) return damaged(chunk);
  return events;
}

Outcome<Schedule> fold(const ScheduleId& id, const std::vector<HistoryChunk>& history) {
  Schedule schedule;
  schedule.id = id;
  for (const HistoryChunk& chunk : history) {
    if (chunk.first_sequence != schedule.last_sequence + 1) return damaged(chunk);
    FERMATA_TRY(events, decode_history(chunk));
    bool begins =
        schedule.last_sequence > 0 || std::holds_alternative<ScheduleCreated>(events.front().body);
    if (!begins) return damaged(chunk);
    for (const Event& event : events) evolve(schedule, event);
  }
  return schedule;
}

}  // namespace fermata::schedule
