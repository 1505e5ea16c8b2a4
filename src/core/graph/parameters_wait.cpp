#include <algorithm>
#include "core/graph/check.h"

#include "core/graph/parameters.h"
#include "core/wait/config.h"
#include "core/wait/criteria.h"
#include "core/wait/for_event.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

constexpr std::string_view wait_types = "fixed_time|until_date|until_time|for_event";
constexpr std::string_view interval_units = "seconds|minutes|hours|days";
constexpr double interval_days_max = 365;
constexpr double signal_timeout_ms_max = 3'153'600'000'000;  // a hundred years

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

// What the fields of these types may be is told by core/wait, which also reads them when the step
// is reached; see check_time_wait.
constexpr Parameter fixed_time_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "duration"},
    {.name = "unit"},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
    {.name = "resume_window"},
};

constexpr Parameter until_date_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "target_date"},
    {.name = "timezone"},
    {.name = "past_action",
     .kind = Kind::choice,
     .standard = "\"continue\"",
     .choices = "continue|exit|branch|fail",
     .literal = true},
    {.name = "past_step", .kind = Kind::plain},
    {.name = "past_edge_id", .kind = Kind::edge},
    {.name = "contact_field"},
    {.name = "anchor_date"},
    {.name = "offset"},
    {.name = "target_time"},
    {.name = "repeat"},
    {.name = "missing_action",
     .kind = Kind::choice,
     .standard = "\"fail\"",
     .choices = "continue|exit|branch|fail",
     .literal = true},
    {.name = "missing_step", .kind = Kind::plain},
    {.name = "missing_edge_id", .kind = Kind::edge},
    {.name = "follow_field"},
    {.name = "timezone_mode"},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
    {.name = "resume_window"},
};

constexpr Parameter until_time_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "target_time"},
    {.name = "days"},
    {.name = "business_days_only"},
    {.name = "holidays"},
    {.name = "skip_today"},
    {.name = "timezone"},
    {.name = "timezone_mode"},
    {.name = "gap_policy"},
    {.name = "spread_seconds"},
};

constexpr Parameter for_event_parameters[] = {
    {.name = "wait_type", .kind = Kind::choice, .choices = wait_types, .literal = true},
    {.name = "event_type"},
    {.name = "events"},
    {.name = "criteria"},
    {.name = "correlation_id"},
    {.name = "scope"},
    {.name = "mode"},
    {.name = "timeout_hours"},
    {.name = "timeout"},
    {.name = "timeout_action",
     .kind = Kind::choice,
     .standard = "\"continue\"",
     .choices = "continue|exit|end|branch",
     .literal = true},
    {.name = "timeout_step", .kind = Kind::plain},
    {.name = "timeout_edge_id", .kind = Kind::edge},
    {.name = "lookback"},
    {.name = "related_step", .kind = Kind::plain},
    {.name = "related_at"},
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

Value config_in(const NodeParameters& node, std::string_view type) {
  Value config = Value::object();
  for (std::string_view name : parts_of(waits::fields_of(type)))
    if (const Value* value = node.values.find(name)) config.set(name, *value);
  return config;
}

void tell_findings(const NodeParameters& node, const Value& config,
                   const std::vector<Finding>& found, Findings& findings) {
  for (const Finding& finding : found) {
    std::string_view field = std::string_view(finding.path).substr(finding.path.empty() ? 0 : 1);
    bool missing = !field.empty() && config.find(field.substr(0, field.find('/'))) == nullptr;
    findings.error(missing ? "parameter_missing" : "parameter_invalid",
                   node.written_at(finding.path), finding.message);
  }
}

/// The rules of core/wait, as far as the values are known before a run.
void check_time_wait(const NodeParameters& node, Findings& findings) {
  std::string_view type = node.values.get("wait_type").as_string();
  Value config = config_in(node, type);
  auto read = waits::read_config(type, config, holds_expression);
  check_zone(node, "timezone", "parameter_invalid", false, findings);
  if (!read) tell_findings(node, config, read.error(), findings);
}

/// Branches are resolved before any run exists.
void refuse_open_branches(const NodeParameters& node, Findings& findings) {
  const Value& events = node.values.get("events");
  if (!events.is_array()) return;
  for (size_t i = 0; i < events.size(); ++i)
    if (const Value& branch = events.items()[i].get("branch"); holds_expression(branch))
      findings.error("parameter_invalid",
                     node.written_at("/events/" + std::to_string(i) + "/branch"),
                     "A branch is the id of a step or an edge; it cannot be an expression.");
}

void check_event_wait(const NodeParameters& node, Findings& findings) {
  refuse_open_branches(node, findings);
  Value config = config_in(node, "for_event");
  waits::ForEventRules rules;
  if (findings.limits) {
    rules.event_types = findings.limits->event_types;
    rules.any_type = findings.limits->any_event_type;
  }
  auto read = waits::read_for_event(config, rules, holds_expression);
  if (!read) tell_findings(node, config, read.error(), findings);
}

bool holds_expression_within(const Value& value) {
  if (value.is_array()) return std::ranges::any_of(value.items(), holds_expression_within);
  if (value.is_object())
    return std::ranges::any_of(value.members(), [](const Value::Member& member) {
      return holds_expression_within(member.value);
    });
  return holds_expression(value);
}

void check_signal_wait(const NodeParameters& node, Findings& findings) {
  const Value* match = node.values.find("match");
  // What an expression comes to is seen when the node is reached.
  if (match && !holds_expression_within(*match))
    if (auto mistake = criteria_mistake(*match))
      findings.error("parameter_invalid", node.written_at("/match"), *mistake + ".");
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
  if (name == "fixed_time") return {fixed_time_parameters, check_time_wait};
  if (name == "until_date") return {until_date_parameters, check_time_wait};
  if (name == "until_time") return {until_time_parameters, check_time_wait};
  if (name == "for_event") return {for_event_parameters, check_event_wait};
  return {interval_parameters, check_interval_wait};
}

NodeSchema wait_for_signal_schema() { return {signal_parameters, check_signal_wait}; }

}  // namespace fermata::graph
