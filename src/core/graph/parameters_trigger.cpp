#include "core/graph/parameters.h"
#include "core/schedule/trigger.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

// A trigger's parameters are needed before any run exists, so none of them can hold an expression.
constexpr Parameter webhook_parameters[] = {
    {.name = "method",
     .kind = Kind::choice,
     .standard = "\"POST\"",
     .choices = "GET|POST|PUT|PATCH|DELETE",
     .literal = true},
    {.name = "auth",
     .kind = Kind::choice,
     .standard = "\"none\"",
     .choices = "none|header|hmac_sha256",
     .literal = true},
    {.name = "dedupe_header",
     .kind = Kind::text,
     .standard = "\"Idempotency-Key\"",
     .literal = true},
    {.name = "respond",
     .kind = Kind::choice,
     .standard = "\"accepted\"",
     .choices = "accepted|result",
     .literal = true},
};

constexpr Parameter schedule_parameters[] = {
    {.name = "cron"},
    {.name = "amount"},
    {.name = "unit"},
    {.name = "timezone", .kind = Kind::text, .standard = "\"UTC\"", .literal = true},
    {.name = "overlap",
     .kind = Kind::choice,
     .standard = "\"skip\"",
     .choices = "skip|queue|allow|cancel_previous",
     .literal = true},
    {.name = "catch_up_ms",
     .kind = Kind::whole,
     .standard = "0",
     .least = 0,
     .most = static_cast<double>(schedule::catch_up_ms_max),
     .literal = true},
    {.name = "jitter_ms",
     .kind = Kind::whole,
     .standard = "0",
     .least = 0,
     .most = static_cast<double>(schedule::jitter_ms_max),
     .literal = true},
    {.name = "input", .standard = "{}", .raw = true, .literal = true},
};

constexpr std::string_view schedule_units = "seconds|minutes|hours|days|weeks";

bool is_given(const NodeParameters& node, std::string_view name) {
  const Value* value = node.values.find(name);
  return value != nullptr && !value->is_null();
}

void check_interval(const NodeParameters& node, Findings& findings) {
  const Value& amount = node.values.get("amount");
  const Value& unit = node.values.get("unit");
  auto number = number_in(amount);
  if (!number || *number <= 0)
    findings.error("schedule_invalid", node.written_at("/amount"),
                   "\"amount\" must be a number above 0; it is " + shown(amount) + ".");
  if (!unit.is_string() || !is_one_of(unit.as_string(), schedule_units))
    findings.error("schedule_invalid", node.written_at("/unit"),
                   "\"unit\" must be " + listed(schedule_units) + "; it is " + shown(unit) + ".");
  if (!number || *number <= 0 || !unit.is_string() || !schedule::unit_ms(unit.as_string())) return;
  double ms = *number * static_cast<double>(*schedule::unit_ms(unit.as_string()));
  if (ms < static_cast<double>(schedule::every_ms_min) ||
      ms > static_cast<double>(schedule::every_ms_max))
    findings.error("schedule_invalid", node.written_at("/amount"),
                   "An interval is 1 second to 366 days long.");
}

void check_schedule(const NodeParameters& node, Findings& findings) {
  check_zone(node, "timezone", "schedule_invalid", false, findings);
  bool by_cron = is_given(node, "cron"), by_interval = is_given(node, "amount");
  if (by_cron && by_interval) {
    findings.error("schedule_invalid", node.written_at("/amount"),
                   "A schedule has either \"cron\" or \"amount\" and \"unit\"; remove one of them.",
                   {node.written_at("/cron")});
    return;
  }
  if (by_interval) return check_interval(node, findings);
  if (!by_cron) {
    findings.error("schedule_invalid", node.path,
                   "A schedule needs \"cron\" (five or six fields) or \"amount\" and \"unit\".");
    return;
  }
  const Value& cron = node.values.get("cron");
  if (!cron.is_string()) {
    findings.error("schedule_invalid", node.written_at("/cron"),
                   "\"cron\" must be text of five or six fields; it is " + shown(cron) + ".");
    return;
  }
  auto rule = schedule::Cron::parse(cron.as_string());
  if (!rule) return findings.error("schedule_invalid", node.written_at("/cron"), rule.error());
  if (rule->never_fires())
    findings.error("schedule_invalid", node.written_at("/cron"),
                   "No day within 30 years fits " + quoted(cron.as_string()) + ".");
}

}  // namespace

NodeSchema trigger_schema(NodeType type) {
  if (type == NodeType::webhook) return {webhook_parameters};
  if (type == NodeType::schedule) return {schedule_parameters, check_schedule};
  return {};
}

}  // namespace fermata::graph
