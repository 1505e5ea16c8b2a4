#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// W3C Trace Context: which trace something belongs to, and which step of it was the cause.
/// https://www.w3.org/TR/trace-context/
namespace fermata {

struct TraceContext {
  std::string trace_id;  ///< 32 hex digits in lower case; empty when there is no trace
  std::string span_id;   ///< 16 hex digits: the step that caused this one
  uint8_t flags = 0;
  std::string state;  ///< of other vendors, passed on as it came

  static constexpr uint8_t sampled_flag = 1;
  bool exists() const { return !trace_id.empty(); }
  /// Whoever began the trace wants its steps recorded.
  bool sampled() const { return (flags & sampled_flag) != 0; }
  bool operator==(const TraceContext&) const = default;
};

/// The value of a `traceparent` header, with `state` from `tracestate`. Nothing when it is not
/// valid: then the standard says to go on as if there were none. A state that is too long or not
/// printable is left out.
std::optional<TraceContext> parse_trace(std::string_view traceparent, std::string_view tracestate);
std::string traceparent_of(const TraceContext& trace);

constexpr size_t tracestate_bytes_max = 512;

/// The id of a step that is known by name: the same name gives the same id on every machine and
/// after every crash, so that a step told twice is one step.
std::string span_id_of(std::string_view name);
/// Ids from random bits.
std::string trace_id_of(uint64_t high, uint64_t low);
std::string span_id_of(uint64_t bits);

/// True for the given share of all traces, by their ids: everyone who asks decides the same.
bool is_chosen(std::string_view trace_id, double share);

}  // namespace fermata
