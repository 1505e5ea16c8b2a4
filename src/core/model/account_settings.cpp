#include "core/model/account_settings.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "core/wait/config_fields.h"

namespace fermata {
namespace {

using waits::ConfigFields;

constexpr const char* invalid = "invalid_setting";
constexpr size_t holidays_max = 2'000;
constexpr size_t holiday_name_max = 200;
constexpr size_t event_types_max = 500;
constexpr size_t event_type_length_max = 100;
constexpr size_t networks_max = 64;
constexpr size_t url_length_max = 2'048;
constexpr int64_t limit_max = 1'000'000'000;
constexpr int64_t signal_hours_max = 2'160;
constexpr int64_t late_hours_max = 168;
constexpr int64_t overdue_alert_s_min = 10;
constexpr int64_t overdue_alert_s_max = 86'400;
constexpr int64_t callback_timeout_ms_min = 1'000;
constexpr int64_t callback_timeout_ms_max = 30'000;
constexpr int64_t give_up_hours_max = 720;
constexpr int64_t retention_days_min = 90;
constexpr int64_t retention_days_max = 3'650;

constexpr std::array<std::string_view, 7> weekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                      "thursday", "friday", "saturday"};

std::string shown(const Value& value) { return shortened(to_json(value)); }

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

/// A list of what `read` takes, at most so many; one finding for each that it does not.
template <class Read>
void each_in(ConfigFields& fields, std::string_view name, std::string_view code, size_t most,
             Read read) {
  const Value* list = fields.known(name);
  if (list == nullptr) return;
  if (!list->is_array() || list->size() > most)
    return fields.complain(
        code, name, quoted(name) + " must be a list of at most " + std::to_string(most) + ".");
  for (size_t i = 0; i < list->size(); ++i) {
    std::string refusal = read(list->items()[i]);
    if (!refusal.empty())
      fields.complain(code, std::string(name) + "/" + std::to_string(i), std::move(refusal));
  }
}

void read_business_days(ConfigFields& fields, AccountSettings& settings) {
  if (!fields.has("business_days")) return;
  DaySet days;
  each_in(fields, "business_days", invalid, weekdays.size(), [&](const Value& day) -> std::string {
    auto weekday = day.is_string() ? weekday_named(day.as_string()) : std::nullopt;
    if (!weekday) return "A weekday such as monday is expected, not " + shown(day) + ".";
    days.add(*weekday);
    return {};
  });
  const Value* given = fields.known("business_days");
  if (given && given->is_array() && given->size() == 0)
    fields.complain(invalid, "business_days", "\"business_days\" needs at least one day.");
  settings.business.days = days;
}

void read_holidays(ConfigFields& fields, AccountSettings& settings) {
  constexpr const char* code = "invalid_holiday";
  each_in(fields, "holidays", code, holidays_max, [&](const Value& given) -> std::string {
    AccountSettings::NamedHoliday holiday;
    const Value& date = given.is_object() ? given.get("date") : given;
    const Value& name = given.is_object() ? given.get("name") : Value();
    if (date.is_string()) holiday.date = date.as_string();
    if (name.is_string()) holiday.name = name.as_string();
    auto parsed = parse_holiday(holiday.date);
    bool named = name.is_null() || (name.is_string() && holiday.name.size() <= holiday_name_max &&
                                    !has_control(holiday.name));
    bool known =
        !given.is_object() || std::ranges::all_of(given.members(), [](const Value::Member& member) {
          return member.key.as_string() == "date" || member.key.as_string() == "name";
        });
    if (!parsed || !named || !known)
      return "A holiday is YYYY-MM-DD, or MM-DD for every year, or {date, name}; this is " +
             shown(given) + ".";
    settings.business.holidays.push_back(*parsed);
    settings.holidays.push_back(std::move(holiday));
    return {};
  });
}

void read_limits(ConfigFields& fields, AccountSettings& settings) {
  auto part = fields.object("limits", invalid);
  if (!part) return;
  part->allow_only("waits_per_execution|waits_per_account|listeners_per_minute");
  AccountSettings::Limits& limits = settings.limits;
  auto take = [&](std::string_view name, int64_t& into) {
    into = part->whole(name, invalid, 0, limit_max).value_or(into);
  };
  take("waits_per_execution", limits.waits_per_execution);
  take("waits_per_account", limits.waits_per_account);
  take("listeners_per_minute", limits.listeners_per_minute);
}

bool names_event(std::string_view name) {
  if (name.empty() || name.size() > event_type_length_max) return false;
  for (char c : name)
    if (c <= ' ' || c > '~') return false;
  return true;
}

void read_signals(ConfigFields& fields, AccountSettings& settings) {
  auto part = fields.object("signals", invalid);
  if (!part) return;
  part->allow_only("retention_hours|event_types|late_window_hours");
  AccountSettings::Signals& signals = settings.signals;
  signals.retention_hours = part->whole("retention_hours", invalid, 1, signal_hours_max)
                                .value_or(signals.retention_hours);
  signals.late_window_hours = part->whole("late_window_hours", invalid, 0, late_hours_max)
                                  .value_or(signals.late_window_hours);
  each_in(*part, "event_types", invalid, event_types_max, [&](const Value& type) -> std::string {
    if (!type.is_string() || !names_event(type.as_string()))
      return "A type of signal is 1 to 100 printable ASCII characters without space, not " +
             shown(type) + ".";
    signals.event_types.emplace_back(type.as_string());
    return {};
  });
}

void read_waits(ConfigFields& fields, AccountSettings& settings) {
  auto part = fields.object("waits", invalid);
  if (!part) return;
  part->allow_only("default_timeout_hours|overdue_alert_s|resumes_off");
  AccountSettings::Waits& waits = settings.waits;
  waits.default_timeout_hours = part->whole("default_timeout_hours", invalid, 1, signal_hours_max)
                                    .value_or(waits.default_timeout_hours);
  waits.overdue_alert_s =
      part->whole("overdue_alert_s", invalid, overdue_alert_s_min, overdue_alert_s_max)
          .value_or(waits.overdue_alert_s);
  const Value* off = part->known("resumes_off");
  if (off && !off->is_bool())
    part->complain(invalid, "resumes_off", "\"resumes_off\" must be true or false.");
  waits.resumes_off = off && off->is_bool() && off->as_bool();
}

std::string read_url(ConfigFields& fields, std::string_view name) {
  auto url = fields.text(name, invalid, url_length_max);
  if (!url) return {};
  bool web = url->starts_with("https://") || url->starts_with("http://");
  if (web && url->find(' ') == std::string::npos) return *std::move(url);
  fields.complain(invalid, name, quoted(name) + " must be an address with http:// or https://.");
  return {};
}

bool is_number_up_to(std::string_view text, int most) {
  if (text.empty() || text.size() > 3 || text.find_first_not_of("0123456789") != text.npos)
    return false;
  int number = 0;
  for (char digit : text) number = number * 10 + (digit - '0');
  return number <= most;
}

/// Four numbers up to 255.
bool is_ip4(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    size_t dot = text.find('.');
    if (dot == text.npos || !is_number_up_to(text.substr(0, dot), 255)) return false;
    text.remove_prefix(dot + 1);
  }
  return is_number_up_to(text, 255);
}

/// How many groups of up to four hexadecimal digits, between colons; 0 when something else is
/// there. The last may be written as an address of four numbers, which is two groups.
size_t ip6_groups(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdefABCDEF";
  size_t groups = 0;
  while (true) {
    size_t colon = text.find(':');
    std::string_view group = text.substr(0, colon);
    if (colon == text.npos && is_ip4(group)) return groups + 2;
    if (group.empty() || group.size() > 4 || group.find_first_not_of(digits) != group.npos)
      return 0;
    ++groups;
    if (colon == text.npos) return groups;
    text.remove_prefix(colon + 1);
  }
}

/// Eight groups, or fewer with `::` for the rest, which are zero.
bool is_ip6(std::string_view text) {
  size_t gap = text.find("::");
  if (gap == text.npos) return ip6_groups(text) == 8;
  std::string_view before = text.substr(0, gap), after = text.substr(gap + 2);
  size_t groups = 0;
  for (std::string_view part : {before, after}) {
    if (part.empty()) continue;
    size_t some = ip6_groups(part);
    if (some == 0) return false;
    groups += some;
  }
  return groups < 8;
}

/// An address, or a network as address and bits.
bool is_network(std::string_view text) {
  size_t slash = text.find('/');
  std::string_view address = text.substr(0, slash);
  bool four = is_ip4(address);
  if (!four && !is_ip6(address)) return false;
  return slash == text.npos || is_number_up_to(text.substr(slash + 1), four ? 32 : 128);
}

void read_callbacks(ConfigFields& fields, AccountSettings& settings) {
  auto part = fields.object("callbacks", invalid);
  if (!part) return;
  part->allow_only("url|secret|secret_set|timeout_ms|give_up_hours|allow_networks");
  AccountSettings::Callbacks& callbacks = settings.callbacks;
  callbacks.url = read_url(*part, "url");
  callbacks.timeout_ms =
      part->whole("timeout_ms", invalid, callback_timeout_ms_min, callback_timeout_ms_max)
          .value_or(callbacks.timeout_ms);
  callbacks.give_up_hours =
      part->whole("give_up_hours", invalid, 1, give_up_hours_max).value_or(callbacks.give_up_hours);
  each_in(*part, "allow_networks", invalid, networks_max, [&](const Value& net) -> std::string {
    if (!net.is_string() || !is_network(net.as_string()))
      return "A network such as 10.0.0.0/8 is expected, not " + shown(net) + ".";
    callbacks.allow_networks.emplace_back(net.as_string());
    return {};
  });
}

void read_others(ConfigFields& fields, AccountSettings& settings) {
  if (auto alerts = fields.object("alerts", invalid)) {
    alerts->allow_only("url");
    settings.alerts_url = read_url(*alerts, "url");
  }
  if (auto audit = fields.object("audit", invalid)) {
    audit->allow_only("signals");
    settings.audit_all_signals = audit->choice("signals", invalid, "matched|all") == size_t{1};
  }
  settings.retention_days =
      fields.whole("retention_days", invalid, retention_days_min, retention_days_max)
          .value_or(settings.retention_days);
}

Value texts(const std::vector<std::string>& list) {
  Value out = Value::array();
  for (const std::string& text : list) out.push(text);
  return out;
}

Value text_if_any(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value holidays_value(const AccountSettings& settings) {
  Value out = Value::array();
  for (const AccountSettings::NamedHoliday& holiday : settings.holidays) {
    if (holiday.name.empty()) {
      out.push(holiday.date);
    } else {
      out.push(Value::object({{"date", holiday.date}, {"name", holiday.name}}));
    }
  }
  return out;
}

Value callbacks_value(const AccountSettings::Callbacks& callbacks) {
  return Value::object({{"url", text_if_any(callbacks.url)},
                        {"secret_set", !callbacks.sealed_secret.empty()},
                        {"timeout_ms", callbacks.timeout_ms},
                        {"give_up_hours", callbacks.give_up_hours},
                        {"allow_networks", texts(callbacks.allow_networks)}});
}

}  // namespace

bool AccountSettings::operator==(const AccountSettings& other) const {
  return timezone == other.timezone && business.days == other.business.days &&
         holidays == other.holidays && gap_policy == other.gap_policy && limits == other.limits &&
         signals == other.signals && waits == other.waits && callbacks == other.callbacks &&
         alerts_url == other.alerts_url && audit_all_signals == other.audit_all_signals &&
         retention_days == other.retention_days;
}

Result<AccountSettings, std::vector<Finding>> read_account_settings(const Value& document,
                                                                    const ZoneTable* zones) {
  std::vector<Finding> findings;
  if (!document.is_object())
    return Failure{std::vector<Finding>{{invalid, "", "Settings must be an object.", {}}}};
  AccountSettings settings;
  ConfigFields fields(document, "", nullptr, findings);
  fields.allow_only(
      "timezone|business_days|holidays|gap_policy|limits|signals|waits|callbacks|alerts|audit|"
      "retention_days");
  settings.timezone = fields.text("timezone", "unknown_timezone").value_or("");
  if (zones && !settings.timezone.empty() && !zones->find(settings.timezone))
    fields.complain("unknown_timezone", "timezone", zones->refusal(settings.timezone));
  read_business_days(fields, settings);
  read_holidays(fields, settings);
  auto gap = fields.choice("gap_policy", invalid, "gap_end|shift");
  if (gap) settings.gap_policy = static_cast<GapPolicy>(*gap);
  read_limits(fields, settings);
  read_signals(fields, settings);
  read_waits(fields, settings);
  read_callbacks(fields, settings);
  read_others(fields, settings);
  if (!findings.empty()) return Failure{std::move(findings)};
  return settings;
}

Value account_settings_value(const AccountSettings& settings) {
  Value days = Value::array();
  // A week begins on Monday.
  for (size_t i = 1; i <= weekdays.size(); ++i)
    if (settings.business.days.has(static_cast<int>(i % weekdays.size())))
      days.push(weekdays.at(i % weekdays.size()));
  return Value::object(
      {{"timezone", text_if_any(settings.timezone)},
       {"business_days", std::move(days)},
       {"holidays", holidays_value(settings)},
       {"gap_policy", name_of(settings.gap_policy)},
       {"limits", Value::object({{"waits_per_execution", settings.limits.waits_per_execution},
                                 {"waits_per_account", settings.limits.waits_per_account},
                                 {"listeners_per_minute", settings.limits.listeners_per_minute}})},
       {"signals", Value::object({{"retention_hours", settings.signals.retention_hours},
                                  {"event_types", texts(settings.signals.event_types)},
                                  {"late_window_hours", settings.signals.late_window_hours}})},
       {"waits", Value::object({{"default_timeout_hours", settings.waits.default_timeout_hours},
                                {"overdue_alert_s", settings.waits.overdue_alert_s},
                                {"resumes_off", settings.waits.resumes_off}})},
       {"callbacks", callbacks_value(settings.callbacks)},
       {"alerts", Value::object({{"url", text_if_any(settings.alerts_url)}})},
       {"audit", Value::object({{"signals", settings.audit_all_signals ? "all" : "matched"}})},
       {"retention_days", settings.retention_days}});
}

std::string_view name_of(OnInactive choice) {
  constexpr std::array<std::string_view, 5> names = {"active", "keep", "standard", "cancel",
                                                     "hold"};
  return names.at(static_cast<size_t>(choice));
}

}  // namespace fermata
