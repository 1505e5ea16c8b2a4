#include <cmath>

#include "base/time.h"
#include "core/flow/durations.h"
#include "core/flow/library_call.h"

namespace fermata::flow::natives {

namespace {

constexpr int64_t day_ms = 86'400'000;
/// The years 0 to 9999, which RFC 3339 can write.
constexpr double instant_min_ms = -62167219200000.0;
constexpr double instant_max_ms = 253402300799999.0;

/// An instant argument in epoch milliseconds.
Instant instant(Machine& machine, Call& call, size_t index) {
  double ms = std::floor(call.number(index));
  if (!(ms >= instant_min_ms && ms <= instant_max_ms)) {
    machine.throw_argument("the time is outside the years 0 to 9999");
    return {};
  }
  return {static_cast<int64_t>(ms)};
}

Duration duration(Machine& machine, Call& call, size_t index) {
  if (call.any(index).is_number()) {
    double ms = call.number(index) * 1000;
    bool fits = std::fabs(ms) <= instant_max_ms;
    if (!fits) machine.throw_argument("the duration is too long");
    return {fits ? static_cast<int64_t>(std::llround(ms)) : 0};
  }
  std::string_view text = call.text(index);
  if (call.failed()) return {};
  auto read = read_duration(text);
  if (!read) machine.throw_argument("not a duration: " + std::string(text.substr(0, 40)));
  return read.value_or(Duration{});
}

/// Only UTC needs no table of zones; the others are looked up outside the language.
void need_utc(Machine& machine, Call& call, size_t index) {
  if (!call.has(index)) return;
  std::string_view zone = call.text(index);
  if (zone != "UTC" && zone != "Z" && zone != "Etc/UTC") {
    machine.throw_argument("the zone " + std::string(zone.substr(0, 40)) + " is not known here");
  }
}

int64_t floor_days(int64_t ms) {
  int64_t days = ms / day_ms;
  return ms % day_ms < 0 ? days - 1 : days;
}

}  // namespace

Datum time_now(Machine& machine, Arguments) { return Datum::of_integer(machine.now().ms); }

Datum time_iso(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = call.has(0) ? instant(machine, call, 0) : machine.now();
  return call.failed() ? Datum() : machine.text(to_rfc3339(at));
}

Datum time_parse(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string_view text = call.text(0);
  if (call.failed()) return {};
  auto at = parse_rfc3339(text);
  if (!at) return machine.throw_argument("not a time: " + std::string(text.substr(0, 40)));
  return Datum::of_integer(at->ms);
}

Datum time_parts(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = instant(machine, call, 0);
  need_utc(machine, call, 1);
  if (call.failed()) return {};
  int64_t days = floor_days(at.ms);
  int64_t in_day = at.ms - days * day_ms;
  CivilDate date = civil_from_days(days);
  int64_t weekday = ((days + 4) % 7 + 7) % 7;  // 1970-01-01 was a Thursday; Sunday is 0
  auto* parts = machine.heap().make<MapObject>();
  auto add = [&](std::string_view name, int64_t value) {
    machine.put(*parts, machine.text(name), Datum::of_integer(value));
  };
  add("year", date.year);
  add("month", date.month);
  add("day", date.day);
  add("hour", in_day / 3'600'000);
  add("minute", in_day / 60'000 % 60);
  add("second", in_day / 1000 % 60);
  add("millisecond", in_day % 1000);
  add("weekday", weekday);
  return call.failed() ? Datum() : Heap::datum(parts);
}

Datum time_format(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = instant(machine, call, 0);
  need_utc(machine, call, 1);
  return call.failed() ? Datum() : machine.text(to_rfc3339(at));
}

Datum time_add(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = instant(machine, call, 0);
  Duration by = duration(machine, call, 1);
  return call.failed() ? Datum() : Datum::of_integer((at + by).ms);
}

Datum time_start_of_day(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = instant(machine, call, 0);
  need_utc(machine, call, 1);
  return call.failed() ? Datum() : Datum::of_integer(floor_days(at.ms) * day_ms);
}

Datum duration_ms(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Duration read = duration(machine, call, 0);
  return Datum::of_integer(read.ms);
}

Datum duration_seconds(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Duration read = duration(machine, call, 0);
  return Datum::of(static_cast<double>(read.ms) / 1000);
}

Datum duration_format(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double ms = call.number(0);
  if (call.failed()) return {};
  if (!(std::fabs(ms) <= instant_max_ms)) return machine.throw_argument("the duration is too long");
  return machine.text(format_duration({static_cast<int64_t>(ms)}));
}

}  // namespace fermata::flow::natives
