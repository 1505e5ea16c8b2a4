#include "core/wait/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/json.h"
#include "core/wait/config_fields.h"

namespace fermata::waits {
namespace {

constexpr int64_t offset_months_max = 1'200;
constexpr int64_t offset_days_max = 3'660;
constexpr int64_t spread_seconds_max = 3'600;

struct FixedUnit {
  std::string_view name;
  int64_t most;
  int64_t ms;
};
constexpr std::array<FixedUnit, 4> fixed_units = {{{"minutes", 59, 60'000},
                                                   {"hours", 23, 3'600'000},
                                                   {"days", 30, 86'400'000},
                                                   {"weeks", 12, 604'800'000}}};

FixedTime read_fixed_time(ConfigFields& fields) {
  FixedTime fixed;
  const Value* duration = fields.known("duration");
  bool whole = duration && duration->is_number() && duration->as_number() >= 1 &&
               std::floor(duration->as_number()) == duration->as_number();
  if (duration ? !whole : !fields.has("duration"))
    fields.complain("invalid_duration", "duration", "Duration must be a positive integer");
  if (!fields.has("unit"))
    fields.complain("invalid_unit", "unit", "\"unit\" must be minutes, hours, days or weeks.");
  auto unit = fields.choice("unit", "invalid_unit", "minutes|hours|days|weeks");
  if (!whole || !unit) return fixed;
  const FixedUnit& bounds = fixed_units[*unit];
  if (duration->as_number() > static_cast<double>(bounds.most)) {
    fields.complain("duration_out_of_range", "duration",
                    "In " + std::string(bounds.name) + " a wait takes 1 to " +
                        std::to_string(bounds.most) + ". Maximum wait duration is 12 weeks");
    return fixed;
  }
  fixed.length = {static_cast<int64_t>(duration->as_number()) * bounds.ms};
  return fixed;
}

DateOffset read_offset(ConfigFields& fields) {
  DateOffset offset;
  auto parts = fields.object("offset", "invalid_offset");
  if (!parts) return offset;
  parts->allow_only("years|months|days|hours|minutes");
  constexpr int64_t most = 10'000'000;
  auto part = [&](std::string_view name) {
    return parts->whole(name, "invalid_offset", -most, most).value_or(0);
  };
  offset.months = part("years") * 12 + part("months");
  offset.days = part("days");
  offset.minutes = part("hours") * 60 + part("minutes");
  bool too_far = std::abs(offset.months) > offset_months_max ||
                 std::abs(offset.days) * 1'440 + std::abs(offset.minutes) > offset_days_max * 1'440;
  if (too_far) {
    parts->complain("invalid_offset", "",
                    "An offset goes at most 1200 months and 3660 days, in all, to either side.");
    return {};
  }
  return offset;
}

DateReaction read_reaction(ConfigFields& fields, std::string_view prefix, DateAction standard) {
  std::string name(prefix);
  DateReaction reaction;
  auto action = fields.choice(name + "_action", "invalid_action", "continue|exit|branch|fail");
  reaction.action = action ? static_cast<DateAction>(*action) : standard;
  reaction.step = fields.text(name + "_step", "unknown_step").value_or("");
  reaction.edge_id = fields.text(name + "_edge_id", "unknown_step").value_or("");
  bool named = fields.has(name + "_step") || fields.has(name + "_edge_id");
  if (reaction.action == DateAction::branch && !named)
    fields.complain("unknown_step", name + "_step",
                    quoted(name + "_action") + ": \"branch\" needs " + quoted(name + "_step") +
                        " or " + quoted(name + "_edge_id") + ".");
  return reaction;
}

void read_date_source(ConfigFields& fields, UntilDate& until) {
  constexpr std::array<std::string_view, 3> sources = {"target_date", "contact_field",
                                                       "anchor_date"};
  auto given = std::count_if(sources.begin(), sources.end(),
                             [&](std::string_view name) { return fields.has(name); });
  if (given != 1)
    fields.complain("invalid_config", given == 0 ? "target_date" : "",
                    "A wait until a date has exactly one of \"target_date\", \"contact_field\" "
                    "and \"anchor_date\".");
  until.is_anchor = !fields.has("target_date");
  until.contact_field = fields.text("contact_field", "invalid_config").value_or("");
  for (std::string_view name : {std::string_view("target_date"), std::string_view("anchor_date")}) {
    const Value* text = fields.known(name);
    if (text == nullptr) continue;
    auto date = text->is_string() ? parse_written_date(text->as_string()) : std::nullopt;
    if (!date)
      fields.complain("invalid_date", name,
                      quoted(name) +
                          " must be a calendar day such as 2026-03-01, optionally with a time such "
                          "as T09:00:00Z; it is " +
                          shortened(to_json(*text)) + ".");
    until.date = date;
  }
}

UntilDate read_until_date(ConfigFields& fields) {
  UntilDate until;
  read_date_source(fields, until);
  until.offset = read_offset(fields);
  if (fields.has("offset") && !until.is_anchor)
    fields.complain("invalid_offset", "offset",
                    "\"offset\" goes with \"anchor_date\" or \"contact_field\".");
  until.clock_minutes = fields.clock("target_time", "invalid_time");
  until.yearly = fields.choice("repeat", "invalid_config", "yearly").has_value();
  until.past = read_reaction(fields, "past", DateAction::proceed);
  until.missing = read_reaction(fields, "missing", DateAction::fail);
  until.follow_field = fields.boolean("follow_field").value_or(false);
  if (until.follow_field && !fields.has("contact_field"))
    fields.complain("invalid_config", "follow_field",
                    "\"follow_field\" goes with \"contact_field\".");
  return until;
}

UntilTime read_until_time(ConfigFields& fields) {
  UntilTime until;
  if (!fields.has("target_time"))
    fields.complain("invalid_time", "target_time",
                    "\"target_time\" must be a time of day from 00:00 to 23:59.");
  until.clock_minutes = fields.clock("target_time", "invalid_time").value_or(0);
  until.days = fields.day_filter(true);
  until.skip_today = fields.boolean("skip_today").value_or(false);
  return until;
}

std::optional<ResumeWindow> read_window(ConfigFields& fields) {
  auto parts = fields.object("resume_window", "invalid_window");
  if (!parts) return std::nullopt;
  parts->allow_only("start|end|days|business_days_only|timezone");
  ResumeWindow window;
  for (std::string_view name : {std::string_view("start"), std::string_view("end")}) {
    if (!parts->has(name))
      parts->complain("invalid_window", name, "A window needs \"start\" and \"end\".");
  }
  auto start = parts->clock("start", "invalid_window");
  auto end = parts->clock("end", "invalid_window");
  if (start && end && *start == *end)
    parts->complain("invalid_window", "end", "A window that ends where it starts never opens.");
  window.start_minutes = start.value_or(0);
  window.end_minutes = end.value_or(0);
  window.days = parts->day_filter(false, "invalid_window");
  window.timezone = parts->text("timezone", "unknown_timezone").value_or("");
  return window;
}

void read_common(ConfigFields& fields, WaitConfig& config) {
  config.timezone = fields.text("timezone", "unknown_timezone").value_or("");
  auto mode = fields.choice("timezone_mode", "invalid_config", "contact|account|utc");
  if (mode) config.zone_mode = static_cast<ZoneMode>(*mode + 1);
  auto gap = fields.choice("gap_policy", "invalid_config", "gap_end|shift");
  if (gap) config.gap_policy = static_cast<GapPolicy>(*gap);
  config.spread_ms =
      fields.whole("spread_seconds", "invalid_config", 0, spread_seconds_max).value_or(0) * 1'000;
  config.window = read_window(fields);
}

}  // namespace

std::string_view fields_of(std::string_view wait_type) {
  if (wait_type == "fixed_time") return "duration|unit|gap_policy|spread_seconds|resume_window";
  if (wait_type == "until_date")
    return "target_date|contact_field|anchor_date|offset|target_time|repeat|past_action|past_step|"
           "past_edge_id|missing_action|missing_step|missing_edge_id|follow_field|timezone|"
           "timezone_mode|gap_policy|spread_seconds|resume_window";
  if (wait_type == "until_time")
    return "target_time|days|business_days_only|holidays|skip_today|timezone|timezone_mode|"
           "gap_policy|spread_seconds";
  if (wait_type == "for_event")
    return "event_type|events|criteria|correlation_id|scope|mode|timeout_hours|timeout|"
           "timeout_action|timeout_step|timeout_edge_id|lookback|related_step|related_at";
  return {};
}

Result<WaitConfig, std::vector<Finding>> read_config(std::string_view wait_type,
                                                     const Value& config, IsOpen is_open) {
  std::vector<Finding> findings;
  if (!config.is_object())
    return Failure{std::vector<Finding>{
        {"invalid_config", "", "The configuration of a wait must be an object.", {}}}};
  ConfigFields fields(config, "", is_open, findings);
  WaitConfig made;
  if (fields_of(wait_type).empty() || wait_type == "for_event") {
    fields.complain("invalid_config", "",
                    quoted(wait_type) +
                        " is no wait for an instant; those are fixed_time, "
                        "until_date and until_time.");
    return Failure{std::move(findings)};
  }
  fields.allow_only(fields_of(wait_type));
  if (wait_type == "fixed_time") made.kind = read_fixed_time(fields);
  if (wait_type == "until_date") made.kind = read_until_date(fields);
  if (wait_type == "until_time") made.kind = read_until_time(fields);
  read_common(fields, made);
  if (!findings.empty()) return Failure{std::move(findings)};
  return made;
}

}  // namespace fermata::waits
