#include "core/flow/durations.h"

#include <charconv>
#include <cmath>

namespace fermata::flow {

namespace {

struct Unit {
  char letter;
  int64_t ms;
};
constexpr Unit date_units[] = {{'W', 604'800'000}, {'D', 86'400'000}};
constexpr Unit time_units[] = {{'H', 3'600'000}, {'M', 60'000}, {'S', 1000}};
constexpr double duration_max_ms = 1e15;

/// `P1DT2H30M`: each unit at most once, in order. Months and years have no fixed length.
std::optional<Duration> read_iso(std::string_view text) {
  text.remove_prefix(1);
  bool in_time = false;
  size_t next_unit = 0;
  double total = 0;
  bool any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !in_time) {
      in_time = true;
      next_unit = 0;
      text.remove_prefix(1);
      if (text.empty()) return std::nullopt;
      continue;
    }
    bool digit = text.front() >= '0' && text.front() <= '9';
    double amount = 0;
    auto read =
        std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
    if (!digit || read.ec != std::errc() || read.ptr == text.data() + text.size()) {
      return std::nullopt;
    }
    size_t count = in_time ? std::size(time_units) : std::size(date_units);
    const Unit* units = in_time ? time_units : date_units;
    while (next_unit < count && units[next_unit].letter != *read.ptr) ++next_unit;
    if (next_unit == count) return std::nullopt;
    total += amount * static_cast<double>(units[next_unit++].ms);
    text.remove_prefix(static_cast<size_t>(read.ptr - text.data()) + 1);
    any = true;
  }
  if (!any || total > duration_max_ms) return std::nullopt;
  return Duration{static_cast<int64_t>(std::llround(total))};
}

}  // namespace

std::optional<Duration> read_duration(std::string_view text) {
  return text.starts_with('P') ? read_iso(text) : parse_duration(text);
}

std::string format_duration(Duration duration) {
  struct Name {
    std::string_view text;
    int64_t ms;
  };
  constexpr Name names[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}};
  std::string out = duration.ms < 0 ? "-" : "";
  int64_t rest = duration.ms < 0 ? -duration.ms : duration.ms;
  for (const Name& name : names) {
    if (rest < name.ms) continue;
    out += std::to_string(rest / name.ms) + std::string(name.text);
    rest %= name.ms;
  }
  if (rest > 0 || duration.ms == 0) out += std::to_string(rest) + "ms";
  return out;
}

}  // namespace fermata::flow
