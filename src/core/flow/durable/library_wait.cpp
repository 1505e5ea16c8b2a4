#include <cmath>

#include "core/flow/durable/awaitable_errors.h"
#include "core/flow/durable/library_options.h"
#include "core/wait/criteria.h"
#include "core/wait/resolve.h"

/// Time and signals (F-32 to F-35).
namespace fermata::flow::natives {

namespace {

/// The years 0 to 9999, which RFC 3339 can write.
constexpr double instant_min_ms = -62167219200000.0;
constexpr double instant_max_ms = 253402300799999.0;

Datum open_timer(Machine& machine, Instant due) {
  Activation& activation = machine.activation();
  Awaitable record;
  record.kind = AwaitableKind::timer;
  record.due = due;
  Datum out = activation.open(std::move(record));
  if (machine.stopped()) return {};
  uint32_t number = static_cast<AwaitableObject*>(out.heap)->number;
  activation.ledger().tell(ArmTimer{number, due}, machine.here());
  return out;
}

/// The configuration of a wait as waits.md has it, in the short words of scripts.
Value wait_config(const Value& given) {
  Value config = Value::object();
  for (const Value::Member& member : given.members()) {
    std::string_view key = member.key.as_string();
    if (key == "time") key = "target_time";
    if (key == "date") key = "target_date";
    config.set(key, member.value);
  }
  return config;
}

/// `{time, timezone, days, business_days_only, date}`: found in the zone data of today.
std::optional<Instant> instant_of_wait(Machine& machine, const Datum& given) {
  auto json = machine.to_json_value(given);
  if (!json) return std::nullopt;
  std::string_view type = json->find("date") != nullptr ? "until_date" : "until_time";
  auto config = waits::read_config(type, wait_config(*json));
  if (!config) {
    machine.throw_argument("Timer.until: " + config.error().front().message);
    return std::nullopt;
  }
  Value told = machine.told_of_zones([&](const ZoneTable& zones) {
    waits::WaitWorld world{machine.now(), zones, {}, {}, {}, GapPolicy::gap_end, std::string()};
    if (const ZoneAnswers* around = machine.activation().zones()) {
      world.contact_zone = around->contact_zone;
      world.account_zone = around->account_zone;
      world.business = around->business;
      world.gap_policy = around->gap_policy;
    }
    auto found = waits::resolve(*config, world);
    return found ? Value(found->at.ms) : Value(found.error().message);
  });
  if (told.is_integer()) return Instant{told.as_integer()};
  machine.throw_argument("Timer.until: " + (told.is_string() ? std::string(told.as_string())
                                                             : "what it was is not known"));
  return std::nullopt;
}

std::optional<Instant> instant_of(Machine& machine, const Datum& given) {
  if (given.is_number()) {
    double ms = std::floor(given.as_number());
    if (ms >= instant_min_ms && ms <= instant_max_ms) return Instant{static_cast<int64_t>(ms)};
    machine.throw_argument("the time is outside the years 0 to 9999");
    return std::nullopt;
  }
  if (given.is_text()) {
    auto at = parse_rfc3339(text_of(given));
    if (!at) machine.throw_argument("not a time: " + std::string(text_of(given).substr(0, 40)));
    return at;
  }
  if (given.is_object()) return instant_of_wait(machine, given);
  machine.throw_argument("Timer.until takes RFC 3339 text, epoch milliseconds or {time}, not " +
                         std::string(Machine::type_name(given)));
  return std::nullopt;
}

}  // namespace

Datum timer_delay(Machine& machine, Arguments arguments) {
  bool endless = arguments[0].is_number() && !std::isfinite(arguments[0].as_number());
  auto given = endless ? std::optional(Value()) : machine.to_json_value(arguments[0]);
  if (!given) return {};
  Duration delay = read_delay(machine, *given, "a delay");
  if (machine.stopped()) return {};
  return open_timer(machine, machine.now() + delay);
}

Datum timer_until(Machine& machine, Arguments arguments) {
  auto due = instant_of(machine, machine.current(arguments[0]));
  if (!due) return {};
  Datum out = open_timer(machine, *due);
  if (machine.stopped() || *due > machine.now()) return out;
  uint32_t number = static_cast<AwaitableObject*>(out.heap)->number;
  machine.activation().ledger().fire(number, machine.now());
  return out;
}

Datum signal_next(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string name(call.text(0));
  Options options(machine, call.any(1), "Signal.next", {"timeout", "otherwise", "match"});
  auto timeout = options.duration("timeout");
  if (options.failed()) return {};
  if (name.empty()) return machine.throw_argument("Signal.next needs a name");
  if (auto mistake = criteria_mistake(options.get("match"))) {
    return machine.throw_argument("the option `match` of Signal.next: " + *mistake);
  }
  Activation& activation = machine.activation();
  if (!activation.room_for_awaitable()) return {};
  Awaitable record;
  record.kind = AwaitableKind::signal;
  record.name = std::move(name);
  record.place = machine.here();
  record.wait.match = options.get("match");
  if (options.has("otherwise")) record.otherwise = options.get("otherwise");
  if (timeout) record.due = activation.now() + *timeout;
  auto due = record.due;
  uint32_t number = activation.ledger().open_signal_wait(std::move(record));
  if (due && activation.is_pending(number)) {
    // A timeout of 0 takes what is there.
    if (*due <= activation.now()) {
      activation.ledger().fire(number, activation.now());
    } else {
      activation.ledger().tell(ArmTimer{number, *due}, machine.here());
    }
  }
  return activation.datum_of(number);
}

Datum signal_send(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  SendSignal request;
  request.run = call.text(0);
  request.name = call.text(1);
  if (call.failed()) return {};
  auto payload = machine.to_json_value(call.any(2));
  if (!payload) return {};
  if (request.run.empty() || request.name.empty()) {
    return machine.throw_argument("Signal.send needs the id of a run and a name");
  }
  request.payload = *std::move(payload);
  Awaitable record;
  record.kind = AwaitableKind::send;
  record.name = request.name;
  Datum out = machine.activation().open(std::move(record));
  if (machine.stopped()) return {};
  request.number = static_cast<AwaitableObject*>(out.heap)->number;
  machine.activation().ledger().tell(std::move(request), machine.here());
  return out;
}

}  // namespace fermata::flow::natives
