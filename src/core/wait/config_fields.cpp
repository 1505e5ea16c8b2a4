#include "core/wait/config_fields.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace fermata::waits {
namespace {

constexpr size_t holidays_max = 2'000;

bool without_controls(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

std::vector<std::string_view> parts_of(std::string_view choices) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = choices.find('|');
    parts.push_back(choices.substr(0, end));
    if (end == std::string_view::npos) return parts;
    choices.remove_prefix(end + 1);
  }
}

std::string listed(const std::vector<std::string_view>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " or " : ", ";
    out += parts[i];
  }
  return out;
}

std::string shown(const Value& value) {
  return value.is_string() ? quoted(value.as_string()) : shortened(to_json(value));
}

std::optional<int64_t> whole_number(const Value& value) {
  if (value.is_integer()) return value.as_integer();
  constexpr double exact_max = 9'007'199'254'740'992.0;
  if (!value.is_number()) return std::nullopt;
  double number = value.as_number();
  if (!(std::fabs(number) <= exact_max) || std::floor(number) != number) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace

const Value* ConfigFields::known(std::string_view name) const {
  const Value& value = object_.get(name);
  if (value.is_null() || (is_open_ && is_open_(value))) return nullptr;
  return &value;
}

void ConfigFields::complain(std::string_view code, std::string_view name, std::string message) {
  std::string path = path_;
  if (!name.empty()) path += "/" + std::string(name);
  findings_.push_back({std::string(code), std::move(path), std::move(message), {}});
}

void ConfigFields::allow_only(std::string_view names) {
  auto allowed = parts_of(names);
  for (const Value::Member& member : object_.members()) {
    std::string_view name = member.key.as_string();
    if (member.value.is_null()) continue;
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    std::string_view meant = nearest_word(name, allowed);
    complain("unknown_field", name,
             quoted(name) + " is not known here." +
                 (meant.empty() ? "" : " Did you mean " + quoted(meant) + "?"));
  }
}

std::optional<std::string> ConfigFields::text(std::string_view name, std::string_view code,
                                              size_t bytes_max) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  std::string_view text = value->is_string() ? value->as_string() : std::string_view();
  if (!text.empty() && text.size() <= bytes_max && without_controls(text)) return std::string(text);
  complain(code, name,
           quoted(name) + " must be a text of at most " + std::to_string(bytes_max) +
               " bytes without control characters; it is " + shown(*value) + ".");
  return std::nullopt;
}

std::optional<bool> ConfigFields::boolean(std::string_view name) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->as_bool();
  complain("invalid_config", name,
           quoted(name) + " must be true or false; it is " + shown(*value) + ".");
  return std::nullopt;
}

std::optional<int64_t> ConfigFields::whole(std::string_view name, std::string_view code,
                                           int64_t least, int64_t most) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  auto number = whole_number(*value);
  if (number && *number >= least && *number <= most) return number;
  complain(code, name,
           quoted(name) + " must be a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + "; it is " + shown(*value) + ".");
  return std::nullopt;
}

std::optional<size_t> ConfigFields::choice(std::string_view name, std::string_view code,
                                           std::string_view choices) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  auto parts = parts_of(choices);
  if (value->is_string()) {
    auto found = std::find(parts.begin(), parts.end(), value->as_string());
    if (found != parts.end()) return static_cast<size_t>(found - parts.begin());
  }
  complain(code, name,
           quoted(name) + " must be " + listed(parts) + "; it is " + shown(*value) + ".");
  return std::nullopt;
}

std::optional<int> ConfigFields::clock(std::string_view name, std::string_view code) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  auto minutes = value->is_string() ? parse_clock(value->as_string()) : std::nullopt;
  if (!minutes)
    complain(
        code, name,
        quoted(name) + " must be a time of day from 00:00 to 23:59; it is " + shown(*value) + ".");
  return minutes;
}

void ConfigFields::read_days(DayFilter& filter, std::string_view code) {
  const Value* days = known("days");
  if (days == nullptr) return;
  DaySet set;
  bool readable = days->is_array();
  if (readable) {
    for (const Value& item : days->items()) {
      if (is_open_ && is_open_(item)) return;
      auto weekday = item.is_string() ? weekday_named(item.as_string()) : std::nullopt;
      if (!weekday) readable = false;
      if (weekday) set.add(*weekday);
    }
  }
  if (readable && !set.empty()) {
    filter.days = set;
    return;
  }
  complain(code, "days",
           "\"days\" must list at least one of monday to sunday; it is " + shown(*days) + ".");
}

void ConfigFields::read_holidays(DayFilter& filter) {
  const Value* holidays = known("holidays");
  if (holidays == nullptr) return;
  if (!holidays->is_array() || holidays->size() > holidays_max)
    return complain(
        "invalid_holiday", "holidays",
        "\"holidays\" must be a list of at most " + std::to_string(holidays_max) + " days.");
  size_t index = 0;
  for (const Value& item : holidays->items()) {
    std::string at = "holidays/" + std::to_string(index++);
    if (is_open_ && is_open_(item)) continue;
    const Value& day = item.is_object() ? item.get("date") : item;
    auto holiday = day.is_string() ? parse_holiday(day.as_string()) : std::nullopt;
    if (holiday) filter.holidays.push_back(*holiday);
    if (!holiday)
      complain("invalid_holiday", at,
               "A holiday is a day such as 2026-12-25, or 12-25 for every year; this is " +
                   shown(item) + ".");
  }
}

DayFilter ConfigFields::day_filter(bool with_holidays, std::string_view code) {
  DayFilter filter;
  read_days(filter, code);
  filter.business_days_only = boolean("business_days_only").value_or(false);
  if (with_holidays) read_holidays(filter);
  return filter;
}

std::optional<ConfigFields> ConfigFields::object(std::string_view name, std::string_view code) {
  const Value* value = known(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_object())
    return ConfigFields(*value, path_ + "/" + std::string(name), is_open_, findings_);
  complain(code, name, quoted(name) + " must be an object; it is " + shown(*value) + ".");
  return std::nullopt;
}

}  // namespace fermata::waits
