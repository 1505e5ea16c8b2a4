#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/time.h"
#include "core/flow/durations.h"
#include "core/flow/library_call.h"
#include "core/wait/calendar.h"
#include "core/wait/zone_table.h"

namespace fermata::flow::natives {

namespace {

constexpr size_t zone_name_max = 40;
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

/// What the zone that an argument names answers to a question: UTC when it is left out, a fixed
/// offset, or one of the table the machine was given.
template <class Question>
int64_t ask_zone(Machine& machine, Call& call, size_t index, Question question) {
  std::string_view name = call.has(index) ? call.text(index) : "UTC";
  if (call.failed()) return 0;
  if (auto known = zone_or_offset(*utc_table(), name)) return question(*known);
  Value told = machine.told_of_zones([&](const ZoneTable& table) {
    auto found = zone_or_offset(table, name);
    return found ? Value(question(*found)) : Value(table.refusal(name.substr(0, zone_name_max)));
  });
  if (told.is_integer()) return told.as_integer();
  machine.throw_argument(told.is_string() ? std::string(told.as_string())
                                          : "what the zone was is not known any more");
  return 0;
}

/// Seconds that its clocks are ahead of UTC.
int64_t offset_of(Machine& machine, Call& call, size_t index, Instant at) {
  return ask_zone(machine, call, index,
                  [&](const Zone& zone) { return int64_t{zone.offset_at(at).seconds}; });
}

/// RFC 3339 with the zone's offset. That has whole minutes; where clocks once went by seconds the
/// nearest minute is written, and the time with it, so that the text means the same instant.
std::string with_offset(Instant at, int64_t offset_seconds) {
  constexpr int64_t minute_s = 60;
  int64_t minutes = offset_seconds / minute_s;
  std::string text = to_rfc3339(at + Duration{minutes * minute_s * 1000});
  if (minutes == 0) return text;
  text.pop_back();  // the Z
  int64_t size = std::abs(minutes);
  auto two = [](int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return text + (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60);
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
  int64_t offset = offset_of(machine, call, 1, at);
  if (call.failed()) return {};
  LocalTime local = Zone::fixed(static_cast<int32_t>(offset), "").local_at(at);
  int64_t in_day = local.ms_of_day;
  auto* parts = machine.heap().make<MapObject>();
  auto add = [&](std::string_view name, int64_t value) {
    machine.put(*parts, machine.text(name), Datum::of_integer(value));
  };
  add("year", local.date.year);
  add("month", local.date.month);
  add("day", local.date.day);
  add("hour", in_day / 3'600'000);
  add("minute", in_day / 60'000 % 60);
  add("second", in_day / 1000 % 60);
  add("millisecond", in_day % 1000);
  add("weekday", weekday_of(local.date));  // 0 is Sunday
  return call.failed() ? Datum() : Heap::datum(parts);
}

Datum time_format(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  Instant at = instant(machine, call, 0);
  int64_t offset = offset_of(machine, call, 1, at);
  return call.failed() ? Datum() : machine.text(with_offset(at, offset));
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
  // Where clocks skip midnight the day begins behind the gap.
  int64_t begins = ask_zone(machine, call, 1, [&](const Zone& zone) {
    return zone.instant_of({zone.local_at(at).date, 0}).ms;
  });
  return call.failed() ? Datum() : Datum::of_integer(begins);
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
