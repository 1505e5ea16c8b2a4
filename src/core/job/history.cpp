#include "core/job/history.h"

#include <array>

#include "base/check.h"
#include "base/fields.h"
#include "core/job/decide.h"

namespace fermata::job {

namespace {

constexpr uint8_t history_format = 1;

template <size_t... I>
bool read_body(ByteReader& in, size_t tag, EventBody& body, std::index_sequence<I...>) {
  FieldReader reader(in);
  return ((tag == I ? (reader.take_extensible(body.emplace<I>()), true) : false) || ...);
}

Failure<Error> damaged(const HistoryChunk& chunk) {
  return fail(
      ErrorCode::data_damaged,
      "job history chunk at sequence " + std::to_string(chunk.first_sequence) + " cannot be read");
}

}  // namespace

std::string_view name_of(CountsAs counts) {
  switch (counts) {
    case CountsAs::nothing:
      return "";
    case CountsAs::a_try:
      return "try";
    case CountsAs::a_loss:
      return "loss";
  }
  return "";
}

std::string_view type_name(const EventBody& body) {
  static constexpr std::array<std::string_view, std::variant_size_v<EventBody>> names = {
      "JobSubmitted",    "JobAllowed",        "JobPostponed",  "JobApprovalRequired",
      "JobDenied",       "JobAmended",        "JobDispatched", "JobStarted",
      "JobAttemptEnded", "JobRetryScheduled", "JobRequeued",   "JobSucceeded",
      "JobFailed",       "JobTimedOut",       "JobCancelled",  "LateSuccessNoted"};
  return names[body.index()];
}

HistoryChunk encode_history(const std::vector<Event>& events) {
  check(!events.empty());
  ByteWriter out;
  out.u8(history_format);
  out.zigzag(events.front().at.ms);
  for (const Event& event : events) {
    check(event.at == events.front().at);
    out.u8(static_cast<uint8_t>(event.body.index()));
    ByteWriter fields;
    FieldWriter writer(fields);
    std::visit([&](const auto& body) { writer.put(body); }, event.body);
    out.text(fields.bytes());
  }
  return {events.front().sequence, static_cast<uint32_t>(events.size()), out.take()};
}

Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk) {
  ByteReader in(chunk.bytes);
  if (in.u8() != history_format) return damaged(chunk);
  Instant at{in.zigzag()};
  std::vector<Event> events;
  if (chunk.count > chunk.bytes.size()) return damaged(chunk);
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

Outcome<Job> fold(const JobId& id, const std::vector<HistoryChunk>& history) {
  Job job;
  job.id = id;
  for (const HistoryChunk& chunk : history) {
    if (chunk.first_sequence != job.last_sequence + 1) return damaged(chunk);
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) evolve(job, event);
  }
  return job;
}

}  // namespace fermata::job
