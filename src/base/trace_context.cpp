#include "base/trace_context.h"

#include <algorithm>
#include <charconv>

#include "base/hash.h"

namespace fermata {
namespace {

constexpr size_t trace_id_digits = 32;
constexpr size_t span_id_digits = 16;
constexpr size_t traceparent_bytes = 55;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view digits) {
  return digits.find_first_not_of('0') == std::string_view::npos;
}

std::string hex_of(uint64_t bits) {
  std::string text(span_id_digits, '0');
  for (size_t i = span_id_digits; i-- > 0; bits >>= 4) text[i] = "0123456789abcdef"[bits & 15];
  return text;
}

std::string usable_state(std::string_view state) {
  bool printable =
      std::all_of(state.begin(), state.end(), [](char c) { return c >= ' ' && c < 0x7f; });
  return printable && state.size() <= tracestate_bytes_max ? std::string(state) : std::string();
}

}  // namespace

std::optional<TraceContext> parse_trace(std::string_view traceparent, std::string_view tracestate) {
  if (traceparent.size() < traceparent_bytes) return std::nullopt;
  std::string_view version = traceparent.substr(0, 2);
  std::string_view trace_id = traceparent.substr(3, trace_id_digits);
  std::string_view span_id = traceparent.substr(36, span_id_digits);
  std::string_view flags = traceparent.substr(53, 2);
  bool dashes = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  if (!dashes || !is_hex(version) || !is_hex(trace_id) || !is_hex(span_id) || !is_hex(flags))
    return std::nullopt;
  if (version == "ff" || is_zero(trace_id) || is_zero(span_id)) return std::nullopt;
  // Versions to come may add fields at the end, after a dash.
  bool longer = traceparent.size() > traceparent_bytes;
  if (longer && (version == "00" || traceparent[traceparent_bytes] != '-')) return std::nullopt;
  TraceContext trace;
  trace.trace_id = trace_id;
  trace.span_id = span_id;
  std::from_chars(flags.data(), flags.data() + flags.size(), trace.flags, 16);
  trace.state = usable_state(tracestate);
  return trace;
}

std::string traceparent_of(const TraceContext& trace) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "00-" + trace.trace_id + "-" + trace.span_id + "-";
  text += digits[trace.flags >> 4];
  text += digits[trace.flags & 15];
  return text;
}

std::string span_id_of(std::string_view name) {
  auto hash = sha256(name);
  std::string_view bytes(reinterpret_cast<const char*>(hash.data()), 8);
  std::string id = hex(bytes);
  return is_zero(id) ? span_id_of(uint64_t{1}) : id;
}

std::string span_id_of(uint64_t bits) { return hex_of(bits == 0 ? 1 : bits); }

std::string trace_id_of(uint64_t high, uint64_t low) {
  return hex_of(high) + hex_of(low == 0 ? 1 : low);
}

bool is_chosen(std::string_view trace_id, double share) {
  if (share >= 1) return true;
  // The last digits: those are random in every kind of id.
  uint32_t tail = 0;
  std::string_view digits = trace_id.substr(trace_id.size() - std::min<size_t>(8, trace_id.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), tail, 16);
  return static_cast<double>(tail) < share * 4294967296.0;
}

}  // namespace fermata
