#include <array>
#include <cmath>

#include "base/time.h"
#include "core/graph/parameters.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr std::string_view wait_types = "fixed_time|until_date|until_time|for_event";
constexpr std::string_view interval_units = "seconds|minutes|hours|days";
constexpr double interval_days_max = 365;
constexpr double signal_timeout_ms_max = 3'153'600'000'000;  // a hundred years

struct FixedUnit {
  std::string_view name;
  int64_t most;
};
constexpr std::array<FixedUnit, 4> fixed_units = {
    {{"minutes", 59}, {"hours", 23}, {"days", 30}, {"weeks", 12}}};

// Every value of an interval's amount is left to the run, which answers `wait_invalid`; the rules
// below only warn of amounts that can never work.
constexpr Parameter interval_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "resume",
     .kind = Kind::choice,
     .standard = "\"time_interval\"",
     .choices = "time_interval",
     .literal = true},
    {.name = "amount", .standard = "1"},
    {.name = "unit", .kind = Kind::choice, .standard = "\"seconds\"", .choices = interval_units},
};

constexpr Parameter fixed_time_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "duration", .required = true},
    {.name = "unit", .kind = Kind::choice, .choices = "minutes|hours|days|weeks", .required = true},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
    {.name = "resume_window"},
};

constexpr Parameter until_date_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "target_date", .kind = Kind::text},
    {.name = "timezone", .kind = Kind::text},
    {.name = "past_action",
     .kind = Kind::choice,
     .standard = "\"continue\"",
     .choices = "continue|exit|branch|fail",
     .literal = true},
    {.name = "past_step"},
    {.name = "past_edge_id", .kind = Kind::edge},
    {.name = "contact_field"},
    {.name = "anchor_date"},
    {.name = "offset"},
    {.name = "target_time"},
    {.name = "repeat"},
    {.name = "missing_action"},
    {.name = "missing_step"},
    {.name = "missing_edge_id", .kind = Kind::edge},
    {.name = "follow_field"},
    {.name = "timezone_mode"},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
    {.name = "resume_window"},
};

// Types that this build does not run: their fields are known, so that the only finding is the type.
constexpr Parameter later_wait_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "target_time"},
    {.name = "days"},
    {.name = "business_days_only"},
    {.name = "holidays"},
    {.name = "skip_today"},
    {.name = "event_type"},
    {.name = "events"},
    {.name = "criteria"},
    {.name = "correlation_id"},
    {.name = "scope"},
    {.name = "mode"},
    {.name = "timeout_hours"},
    {.name = "timeout"},
    {.name = "timeout_action"},
    {.name = "timeout_step"},
    {.name = "timeout_edge_id", .kind = Kind::edge},
    {.name = "lookback"},
    {.name = "related_step"},
    {.name = "related_at"},
    {.name = "timezone"},
    {.name = "timezone_mode"},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
};

constexpr Parameter signal_parameters[] = {
    {.name = "name", .kind = Kind::text, .required = true},
    {.name = "match", .kind = Kind::object},
    {.name = "timeout_ms",
     .kind = Kind::whole,
     .standard = "0",
     .least = 0,
     .most = signal_timeout_ms_max},
    {.name = "on_timeout",
     .kind = Kind::choice,
     .standard = "\"fail\"",
     .choices = "fail|continue|branch",
     .literal = true},
    {.name = "timeout_edge_id", .kind = Kind::edge},
};

void refuse_later(const NodeParameters& node, std::string_view names, Findings& findings) {
  for (std::string_view name : parts_of(names))
    if (node.values.find(name) != nullptr)
      findings.error("parameter_invalid", node.written_at("/" + std::string(name)),
                     "This build does not run waits with " + quoted(name) + " yet; remove it.");
}

void check_interval_wait(const NodeParameters& node, Findings& findings) {
  const Value* amount = node.literal("amount");
  if (amount == nullptr) return;
  auto number = number_in(*amount);
  std::string outcome =
      "; it is " + shown(*amount) + ", so every run fails here with wait_invalid.";
  if (!number || *number < 0) {
    findings.warn("parameter_invalid", node.written_at("/amount"),
                  "\"amount\" must be a number of at least 0" + outcome);
    return;
  }
  auto length = plain_wait_ms(node);
  if (length && static_cast<double>(*length) > interval_days_max * 86'400'000)
    findings.warn("parameter_invalid", node.written_at("/amount"),
                  "A wait takes at most 365 days" + outcome);
}

void check_fixed_time(const NodeParameters& node, Findings& findings) {
  refuse_later(node, "gap_policy|spread_seconds|resume_window", findings);
  const Value* duration = node.literal("duration");
  if (duration == nullptr) return;
  if (!duration->is_number() || duration->as_number() < 1 ||
      std::floor(duration->as_number()) != duration->as_number()) {
    findings.error("parameter_invalid", node.written_at("/duration"),
                   "\"duration\" must be a positive whole number; it is " + shown(*duration) + ".");
    return;
  }
  const Value* unit = node.literal("unit");
  for (const FixedUnit& bounds : fixed_units)
    if (unit && unit->is_string() && unit->as_string() == bounds.name &&
        duration->as_number() > static_cast<double>(bounds.most))
      findings.error("parameter_invalid", node.written_at("/duration"),
                     "In " + std::string(bounds.name) + " a wait takes 1 to " +
                         std::to_string(bounds.most) + "; it is " + shown(*duration) +
                         ". Use a larger unit; the longest wait is 12 weeks.");
}

void check_until_date(const NodeParameters& node, Findings& findings) {
  refuse_later(node,
               "contact_field|anchor_date|offset|target_time|repeat|past_step|past_edge_id|"
               "missing_action|missing_step|missing_edge_id|follow_field|timezone_mode|"
               "gap_policy|spread_seconds|resume_window",
               findings);
  const Value* date = node.values.find("target_date");
  if (date == nullptr && !node.values.find("contact_field") && !node.values.find("anchor_date"))
    findings.error("parameter_missing", node.written_at("/target_date"),
                   "A wait until a date needs \"target_date\", such as 2026-03-01T09:00:00Z.");
  if (date && date->is_string() && !holds_expression(*date) && !parse_wait_date(date->as_string()))
    findings.error("parameter_invalid", node.written_at("/target_date"),
                   "\"target_date\" must be a calendar day such as 2026-03-01, optionally with a "
                   "time such as T09:00:00Z; it is " +
                       shown(*date) + ".");
  const Value* zone = node.values.find("timezone");
  if (zone && zone->is_string() && !is_one_of(zone->as_string(), "UTC|Etc/UTC|Z"))
    findings.error("parameter_invalid", node.written_at("/timezone"),
                   "This build reads the dates of waits in UTC only; give the offset in "
                   "\"target_date\" instead, such as 2026-03-01T09:00:00+01:00.");
  const Value& action = node.values.get("past_action");
  if (action.is_string() && is_one_of(action.as_string(), "exit|branch|fail"))
    findings.error("parameter_invalid", node.written_at("/past_action"),
                   "This build always goes on after a date in the past; remove \"past_action\".");
}

void refuse_wait_type(const NodeParameters& node, Findings& findings) {
  findings.error("parameter_invalid", node.written_at("/wait_type"),
                 "This build does not run waits of type " + shown(node.values.get("wait_type")) +
                     " yet; it runs fixed_time, until_date and plain intervals.");
}

void check_signal_wait(const NodeParameters& node, Findings& findings) {
  const Value* match = node.values.find("match");
  if (match && match->size() > 0)
    findings.error("parameter_invalid", node.written_at("/match"),
                   "This build matches signals by name only; remove \"match\".");
  const Value& action = node.values.get("on_timeout");
  bool branches = action.is_string() && action.as_string() == "branch";
  if (branches && node.values.find("timeout_edge_id") == nullptr)
    findings.error("parameter_missing", node.written_at("/timeout_edge_id"),
                   "\"on_timeout\": \"branch\" needs \"timeout_edge_id\".");
}

}  // namespace

NodeSchema wait_schema(const Value& written) {
  const Value& type = written.get("wait_type");
  std::string_view name = type.is_string() ? type.as_string() : std::string_view();
  if (name == "fixed_time") return {fixed_time_parameters, check_fixed_time};
  if (name == "until_date") return {until_date_parameters, check_until_date};
  if (name == "until_time" || name == "for_event") return {later_wait_parameters, refuse_wait_type};
  return {interval_parameters, check_interval_wait};
}

NodeSchema wait_for_signal_schema() { return {signal_parameters, check_signal_wait}; }

}  // namespace fermata::graph
