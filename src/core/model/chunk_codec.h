#pragma once
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/error.h"
#include "core/model/summary.h"

/// The binary form of the events of one commit, the same for every kind of root: format, instant,
/// then a tag and a body for each event. How a body is written is the kind's own.
namespace fermata {

/// `whose` is empty for runs, else `job ` and the like.
inline Failure<Error> damaged_chunk(std::string_view whose, const HistoryChunk& chunk) {
  return fail(ErrorCode::data_damaged, std::string(whose) + "history chunk at sequence " +
                                           std::to_string(chunk.first_sequence) +
                                           " cannot be read");
}

template <class Event, class PutBody>
HistoryChunk write_chunk(uint8_t format, const std::vector<Event>& events, PutBody put_body) {
  check(!events.empty());
  ByteWriter out;
  out.u8(format);
  out.zigzag(events.front().at.ms);
  for (const Event& event : events) {
    check(event.at == events.front().at);
    out.u8(static_cast<uint8_t>(event.body.index()));
    std::visit([&](const auto& body) { put_body(out, body); }, event.body);
  }
  return {events.front().sequence, static_cast<uint32_t>(events.size()), out.take()};
}

template <class Body, class TakeBody, size_t... I>
bool take_tagged(ByteReader& in, Body& body, TakeBody& take_body, std::index_sequence<I...>) {
  size_t tag = in.u8();
  return ((tag == I ? (take_body(in, body.template emplace<I>()), true) : false) || ...);
}

template <class Event, class TakeBody>
Outcome<std::vector<Event>> read_chunk(std::string_view whose, uint8_t format,
                                       const HistoryChunk& chunk, TakeBody take_body) {
  using Tags = std::make_index_sequence<std::variant_size_v<decltype(Event::body)>>;
  ByteReader in(chunk.bytes);
  if (in.u8() != format) return damaged_chunk(whose, chunk);
  Instant at{in.zigzag()};
  // An event has a byte at least, so that a wrong count cannot ask for much memory.
  if (chunk.count == 0 || chunk.count > chunk.bytes.size()) return damaged_chunk(whose, chunk);
  std::vector<Event> events;
  events.reserve(chunk.count);
  for (uint32_t i = 0; i < chunk.count; ++i) {
    Event& event = events.emplace_back();
    event.sequence = chunk.first_sequence + i;
    event.at = at;
    if (!take_tagged(in, event.body, take_body, Tags()) || !in.ok())
      return damaged_chunk(whose, chunk);
  }
  if (!in.done()) return damaged_chunk(whose, chunk);
  return events;
}

}  // namespace fermata
