#include "core/flow/durable/library_options.h"

#include <algorithm>
#include <cmath>

#include "core/flow/durations.h"
#include "core/flow/names.h"

namespace fermata::flow {

namespace {

constexpr int64_t delay_max_ms = int64_t{3650} * 86'400'000;

bool among(std::initializer_list<std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

Options::Options(Machine& machine, const Datum& given, std::string_view call,
                 std::initializer_list<std::string_view> known)
    : machine_(machine), call_(call) {
  if (given.is_null() || machine.stopped()) return;
  if (!given.is_object()) {
    machine.throw_argument("the options of " + call_ + " are an object, not " +
                           std::string(Machine::type_name(given)));
    return;
  }
  auto value = machine.to_json_value(given);
  if (!value) return;
  value_ = *std::move(value);
  for (const Value::Member& member : value_.members()) {
    std::string_view name = member.key.as_string();
    if (among(known, name)) continue;
    machine.throw_argument(call_ + " has no option " + quoted(name.substr(0, 40)) +
                           did_you_mean(name, known));
    return;
  }
}

void Options::wrong(std::string_view name, std::string_view expected) {
  machine_.throw_argument("the option " + quoted(name) + " of " + call_ + " must be " +
                          std::string(expected));
}

void Options::text(std::string_view name) {
  const Value& value = get(name);
  if (!value.is_null() && !value.is_string()) wrong(name, "a string");
}

void Options::whole(std::string_view name, int64_t least) {
  const Value& value = get(name);
  if (value.is_null()) return;
  if (!value.is_integer() || value.as_integer() < least) {
    wrong(name, "a whole number of at least " + std::to_string(least));
  }
}

void Options::object(std::string_view name, std::initializer_list<std::string_view> known) {
  const Value& value = get(name);
  if (value.is_null()) return;
  if (!value.is_object()) return wrong(name, "an object");
  for (const Value::Member& member : value.members()) {
    std::string_view key = member.key.as_string();
    if (known.size() == 0 || among(known, key)) continue;
    return wrong(name, "without " + quoted(key.substr(0, 40)) + did_you_mean(key, known));
  }
}

void Options::one_of(std::string_view name, std::initializer_list<std::string_view> words) {
  const Value& value = get(name);
  if (value.is_null() || (value.is_string() && among(words, value.as_string()))) return;
  std::string expected = "one of";
  for (std::string_view word : words) expected += " " + quoted(word);
  wrong(name, expected);
}

bool Options::flag(std::string_view name) {
  const Value& value = get(name);
  if (!value.is_null() && !value.is_bool()) wrong(name, "true or false");
  return value.is_bool() && value.as_bool();
}

std::optional<Duration> Options::duration(std::string_view name) {
  const Value& value = get(name);
  if (value.is_null()) return std::nullopt;
  return read_delay(machine_, value, "the option " + quoted(name) + " of " + call_);
}

OnParentEnd Options::on_parent_end() {
  one_of("on_parent_end", {"keep", "cancel"});
  const Value& value = get("on_parent_end");
  if (!value.is_string()) return OnParentEnd::as_usual;
  return value.as_string() == "keep" ? OnParentEnd::keep : OnParentEnd::cancel;
}

void Options::rename(std::string_view from, std::string_view to) {
  const Value* found = value_.find(from);
  if (found == nullptr) return;
  Value moved = *found;
  value_.erase(from);
  if (value_.find(to) == nullptr) value_.set(to, std::move(moved));
}

Duration read_delay(Machine& machine, const Value& given, std::string_view what) {
  std::optional<Duration> read;
  if (given.is_number()) {
    double ms = given.as_number() * 1000;
    if (ms >= 0 && ms <= static_cast<double>(delay_max_ms)) read = Duration{std::llround(ms)};
  } else if (given.is_string()) {
    read = read_duration(given.as_string());
  }
  if (read && read->ms >= 0 && read->ms <= delay_max_ms) return *read;
  machine.throw_argument(std::string(what) +
                         " must be seconds or a duration such as \"1h30m\", at most 3650 days");
  return {};
}

}  // namespace fermata::flow
