#include "core/schedule/trigger.h"

#include <cmath>

namespace fermata::schedule {
namespace {

int64_t whole(const Value& value) {
  return value.is_number() ? static_cast<int64_t>(std::llround(value.as_number())) : 0;
}

std::string text(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

}  // namespace

std::optional<int64_t> unit_ms(std::string_view unit) {
  if (unit == "seconds") return 1'000;
  if (unit == "minutes") return 60'000;
  if (unit == "hours") return 3'600'000;
  if (unit == "days") return 86'400'000;
  if (unit == "weeks") return int64_t{7} * 86'400'000;
  return std::nullopt;
}

Spec spec_of_trigger(const WorkflowId& workflow, const std::string& node, const Value& parameters) {
  Spec spec;
  spec.workflow = workflow;
  spec.trigger_node = node;
  spec.cron = text(parameters.get("cron"));
  if (spec.cron.empty()) {
    const Value& amount = parameters.get("amount");
    double number = amount.is_string()   ? std::strtod(text(amount).c_str(), nullptr)
                    : amount.is_number() ? amount.as_number()
                                         : 0;
    int64_t unit = unit_ms(text(parameters.get("unit"))).value_or(0);
    spec.every_ms = static_cast<int64_t>(std::llround(number * static_cast<double>(unit)));
  }
  if (std::string zone = text(parameters.get("timezone")); !zone.empty()) spec.timezone = zone;
  spec.overlap = overlap_of(text(parameters.get("overlap"))).value_or(Overlap::skip);
  spec.catch_up_ms = whole(parameters.get("catch_up_ms"));
  spec.jitter_ms = whole(parameters.get("jitter_ms"));
  spec.input = parameters.get("input");
  if (spec.input.is_null()) spec.input = Value::object();
  return spec;
}

ScheduleId trigger_schedule_of(const WorkflowId& workflow) {
  return ScheduleId(workflow.text() + ":trigger");
}

}  // namespace fermata::schedule
