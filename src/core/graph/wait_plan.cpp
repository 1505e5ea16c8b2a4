#include "core/graph/wait_plan.h"

#include <cmath>

#include "base/json.h"
#include "base/words.h"
#include "core/graph/check_words.h"
#include "core/wait/resolve.h"

namespace fermata::graph {
namespace {

std::optional<int64_t> unit_ms(std::string_view unit) {
  if (unit == "seconds") return 1'000;
  if (unit == "minutes") return 60'000;
  if (unit == "hours") return 3'600'000;
  if (unit == "days") return 86'400'000;
  return std::nullopt;
}

Failure<NodeError> wait_invalid(std::string message, Value details = {}) {
  return node_failure("wait_invalid", std::move(message), std::move(details));
}

/// A plain interval: the bounds of fixed_time do not apply to it.
Result<Duration, NodeError> interval_of(const Value& parameters, int64_t most_ms) {
  const Value& unit = parameters.get("unit");
  auto scale = unit_ms(unit.is_string() ? unit.as_string() : "seconds");
  if (!scale) return wait_invalid("unit is seconds, minutes, hours or days");
  const Value* amount = parameters.find("amount");
  auto count = number_of(amount ? *amount : Value(1));
  if (!count || *count < 0 || !std::isfinite(*count))
    return wait_invalid("amount is a number of at least 0, not " + to_json(*amount));
  double ms = *count * static_cast<double>(*scale);
  if (ms > static_cast<double>(most_ms))
    return wait_invalid("the interval is over " + std::to_string(most_ms) +
                        " ms; setting graph_interval_ms_max");
  return Duration{std::llround(ms)};
}

/// The fields of the wait's type: evaluated, or as written where they are never evaluated.
Value config_of(const Node& node, const Value& parameters, std::string_view wait_type) {
  Value config = Value::object();
  for (std::string_view name : parts_of(waits::fields_of(wait_type))) {
    const Value* value = parameters.find(name);
    if (value == nullptr) value = node.raw.find(name);
    if (value != nullptr) config.set(name, *value);
  }
  return config;
}

Failure<NodeError> refused(const Finding& finding) {
  return wait_invalid(finding.message,
                      Value::object({{"code", finding.code}, {"path", finding.path}}));
}

Value shown(const waits::WaitInstant& found) {
  Value out = Value::object();
  if (found.intent) {
    const waits::LocalIntent& intent = *found.intent;
    out = Value::object({{"timezone", intent.zone},
                         {"local_target", to_text(intent.local)},
                         {"gap_policy", name_of(intent.gap_policy)},
                         {"plus_ms", intent.plus.ms},
                         {"tzdata_version", intent.tzdata_version}});
  }
  if (!found.timezone_source.empty()) out.set("timezone_source", found.timezone_source);
  out.set("explain", waits::explained(found));
  if (!found.warnings.empty()) {
    Value warnings = Value::array();
    for (const std::string& warning : found.warnings) warnings.push(warning);
    out.set("warnings", std::move(warnings));
  }
  return out;
}

Value interval_config(const Value& parameters) {
  Value config = Value::object();
  for (const char* name : {"amount", "unit"})
    if (const Value* value = parameters.find(name)) config.set(name, *value);
  return config;
}

waits::WaitWorld world_of(const WaitMoment& moment) {
  waits::WaitWorld world{moment.now,
                         moment.zones,
                         moment.contact ? moment.contact->timezone : std::string(),
                         moment.account.timezone,
                         moment.account.business,
                         moment.account.gap_policy,
                         moment.wait_id};
  return world;
}

/// The date in a field of the contact; nothing when it is absent, empty or no date.
std::optional<WrittenDate> date_of(const Contact* contact, const std::string& field) {
  if (contact == nullptr || !contact->fields.is_object()) return std::nullopt;
  const Value& text = contact->fields.get(field);
  return text.is_string() ? parse_written_date(text.as_string()) : std::nullopt;
}

const AccountSettings& settings_of(const Step& step) {
  static const AccountSettings defaults;
  return step.given.account ? *step.given.account : defaults;
}

}  // namespace

WaitMoment wait_moment(const Step& step, Instant now, std::string wait_id) {
  const ZoneTable& zones = step.given.zones ? *step.given.zones : *utc_table();
  return {now, zones, std::move(wait_id), settings_of(step), step.given.contact.get()};
}

Finding missing_date(const WaitPlan& plan) {
  const Value& field = plan.config.get("contact_field");
  return {"contact_field_invalid",
          "/contact_field",
          "The field " + quoted(field.is_string() ? field.as_string() : std::string_view()) +
              " of the contact holds no date.",
          {}};
}

std::optional<Finding> refusal_of(const WaitPlan& plan, Instant now) {
  if (plan.missing)
    return plan.missing->action == waits::DateAction::fail ? std::optional(missing_date(plan))
                                                           : std::nullopt;
  if (!plan.past || plan.at > now || plan.past->action != waits::DateAction::fail)
    return std::nullopt;
  return Finding{
      "date_in_past", "/target_date", "the date " + to_rfc3339(plan.at) + " is in the past", {}};
}

Result<WaitPlan, std::vector<Finding>> plan_typed_wait(const std::string& type, Value config,
                                                       const WaitMoment& moment) {
  auto read = waits::read_config(type, config);
  if (!read) return Failure{std::move(read).error()};
  WaitPlan plan{moment.now, {}, {}, type, std::move(config)};
  if (auto* date = std::get_if<waits::UntilDate>(&read->kind); date && !date->date) {
    date->date = date_of(moment.contact, date->contact_field);
    if (!date->date) {
      plan.missing = date->missing;
      return plan;
    }
  }
  auto found = waits::resolve(*read, world_of(moment));
  if (!found) return Failure{std::vector<Finding>{std::move(found).error()}};
  plan.at = found->at;
  if (const auto* date = std::get_if<waits::UntilDate>(&read->kind)) plan.past = date->past;
  // What is to be warned of is told, also of an instant that was given as one.
  if (found->intent || !found->warnings.empty()) plan.intent = shown(*found);
  return plan;
}

Result<WaitPlan, NodeError> plan_wait(const Step& step, const Node& node, const Value& parameters,
                                      const std::string& wait_id) {
  const Value& type = parameters.get("wait_type");
  if (!type.is_string() || waits::fields_of(type.as_string()).empty()) {
    FERMATA_TRY(length, interval_of(parameters, step.given.limits.interval_ms_max));
    return WaitPlan{step.at + length, {}, {}, {}, interval_config(parameters)};
  }
  auto plan =
      plan_typed_wait(std::string(type.as_string()), config_of(node, parameters, type.as_string()),
                      wait_moment(step, step.at, wait_id));
  if (!plan) return refused(plan.error().front());
  return *std::move(plan);
}

}  // namespace fermata::graph
