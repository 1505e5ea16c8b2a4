#include "core/wait/for_event.h"

#include <cmath>

#include "base/json.h"
#include "core/wait/config_fields.h"
#include "core/wait/criteria.h"
#include "core/wait/event_types.h"

namespace fermata::waits {
namespace {

constexpr size_t correlation_bytes_max = 100;

/// As every id that is chosen outside (W-4).
bool is_correlation(std::string_view text) {
  if (text.empty() || text.size() > correlation_bytes_max) return false;
  for (char c : text)
    if (c <= ' ' || c > '~' || c == '/' || c == '?' || c == '#' || c == '%') return false;
  return true;
}

/// Criteria without a condition hear everything; what is an expression is taken to have some.
bool narrows(const Value& criteria) {
  return !criteria.is_null() && !(criteria.is_object() && criteria.size() == 0);
}

class Reader {
 public:
  Reader(const Value& config, const ForEventRules& rules, IsOpen is_open,
         std::vector<Finding>& findings)
      : config_(config),
        rules_(rules),
        is_open_(is_open),
        findings_(findings),
        fields_(config, "", is_open, findings) {}

  ForEvent read() {
    fields_.allow_only(fields_of("for_event"));
    read_scope();
    read_events();
    auto mode = fields_.choice("mode", "invalid_config", "any|all");
    made_.all = mode && *mode == 1;
    if (made_.all) refuse_branches();
    read_timeout();
    read_timeout_action();
    read_lookback();
    return std::move(made_);
  }

 private:
  void read_scope() {
    auto scope = fields_.choice("scope", "invalid_config", "contact|execution|account");
    if (scope) made_.scope = static_cast<EventScope>(*scope + 1);
  }

  void read_events() {
    bool one = fields_.has("event_type");
    bool several = fields_.has("events");
    if (one == several)
      return fields_.complain("invalid_config", "event_type",
                              "A wait for a signal has exactly one of \"event_type\" and "
                              "\"events\".");
    if (one) return read_event(fields_, nullptr, "");
    const Value* events = fields_.known("events");
    if (events == nullptr) return;
    if (!events->is_array() || events->size() == 0 || events->size() > awaited_events_max)
      return fields_.complain(
          "invalid_config", "events",
          "\"events\" must be a list of 1 to " + std::to_string(awaited_events_max) + " events.");
    // What stands beside the list holds for those that say nothing else.
    criteria_of(fields_, "");
    correlation_of(fields_);
    size_t index = 0;
    for (const Value& item : events->items()) {
      std::string at = "/events/" + std::to_string(index++);
      if (is_open_ && is_open_(item)) continue;
      if (!item.is_object()) {
        findings_.push_back({"invalid_config", at, "An awaited event must be an object.", {}});
        continue;
      }
      ConfigFields fields(item, at, is_open_, findings_);
      fields.allow_only("event_type|criteria|correlation_id|branch");
      read_event(fields, &item, at);
    }
  }

  void read_event(ConfigFields& fields, const Value* item, const std::string& at) {
    AwaitedEvent event;
    event.type = type_of(fields);
    bool own = item == nullptr || fields.has("criteria");
    event.criteria = own ? criteria_of(fields, at) : config_.get("criteria");
    own = item == nullptr || fields.has("correlation_id");
    event.correlation_id = own ? correlation_of(fields) : correlation_of(fields_, false);
    if (item != nullptr) event.branch = fields.text("branch", "unknown_step").value_or("");
    bool narrowed = narrows(event.criteria) || !event.correlation_id.empty() ||
                    narrows((item ? *item : config_).get("criteria")) ||
                    fields.has("correlation_id");
    if (made_.scope == EventScope::account && !narrowed)
      fields.complain("invalid_config", "criteria",
                      "\"scope\": \"account\" needs \"criteria\" or \"correlation_id\".");
    made_.events.push_back(std::move(event));
  }

  std::string type_of(ConfigFields& fields) {
    if (!fields.has("event_type")) {
      fields.complain("unknown_event_type", "event_type", "\"event_type\" is missing.");
      return {};
    }
    const Value* written = fields.known("event_type");
    if (written == nullptr) return {};
    std::string_view name = written->is_string() ? written->as_string() : std::string_view();
    bool any = made_.scope == EventScope::execution || rules_.any_type;
    auto type = any ? run_signal_named(name) : event_type_named(name, rules_.event_types);
    if (type) return *std::move(type);
    std::string_view meant = nearest_event_type(name);
    fields.complain("unknown_event_type", "event_type",
                    shortened(to_json(*written)) + " is no type of events." +
                        (meant.empty() ? " Own ones begin with \"custom.\"."
                                       : " Did you mean " + quoted(meant) + "?"));
    return {};
  }

  Value criteria_of(ConfigFields& fields, const std::string&) {
    const Value* criteria = fields.known("criteria");
    if (criteria == nullptr) return {};
    // Values that are expressions are values all the same; only the shape is looked at.
    if (auto mistake = criteria_mistake(*criteria)) {
      fields.complain("invalid_criteria", "criteria", *mistake + ".");
      return {};
    }
    return *criteria;
  }

  std::string correlation_of(ConfigFields& fields, bool tells = true) {
    const Value* written = fields.known("correlation_id");
    if (written == nullptr) return {};
    if (written->is_string() && is_correlation(written->as_string()))
      return std::string(written->as_string());
    if (tells)
      fields.complain("invalid_id", "correlation_id",
                      "\"correlation_id\" is 1 to 100 printable ASCII characters without space "
                      "/ ? # %.");
    return {};
  }

  void refuse_branches() {
    for (size_t i = 0; i < made_.events.size(); ++i)
      if (!made_.events[i].branch.empty())
        findings_.push_back({"invalid_config",
                             "/events/" + std::to_string(i) + "/branch",
                             "With \"mode\": \"all\" no event is the first, so none has a branch.",
                             {}});
  }

  void read_timeout() {
    made_.timeout = rules_.default_timeout;
    if (fields_.has("timeout_hours") && fields_.has("timeout"))
      return fields_.complain("invalid_config", "timeout",
                              "Give one of \"timeout_hours\" and \"timeout\".");
    if (const Value* hours = fields_.known("timeout_hours"))
      return set_timeout(fields_, "timeout_hours", *hours, 3'600'000);
    auto parts = fields_.object("timeout", "timeout_out_of_range");
    if (!parts) return;
    parts->allow_only("duration|unit");
    auto unit = parts->choice("unit", "invalid_config", "hours|days");
    if (!parts->has("unit"))
      parts->complain("invalid_config", "unit", "\"unit\" must be hours or days.");
    const Value* duration = parts->known("duration");
    if (!parts->has("duration"))
      parts->complain("timeout_out_of_range", "duration", "\"duration\" is missing.");
    if (duration && unit)
      set_timeout(*parts, "duration", *duration, *unit == 0 ? 3'600'000 : 86'400'000);
  }

  void set_timeout(ConfigFields& fields, std::string_view name, const Value& written,
                   int64_t unit_ms) {
    double ms = written.is_number() ? written.as_number() * static_cast<double>(unit_ms) : -1;
    bool within = ms >= static_cast<double>(event_timeout_ms_min) &&
                  ms <= static_cast<double>(event_timeout_ms_max);
    if (within) {
      made_.timeout = {std::llround(ms)};
      return;
    }
    fields.complain("timeout_out_of_range", name,
                    "A timeout is a number from 1 hour to 2160 hours (90 days); it is " +
                        shortened(to_json(written)) + ".");
  }

  void read_timeout_action() {
    auto action =
        fields_.choice("timeout_action", "invalid_timeout_action", "continue|exit|end|branch");
    constexpr TimeoutAction actions[] = {TimeoutAction::proceed, TimeoutAction::exit,
                                         TimeoutAction::exit, TimeoutAction::branch};
    if (action) made_.timeout_action = actions[*action];
    made_.timeout_step = fields_.text("timeout_step", "unknown_step").value_or("");
    made_.timeout_edge_id = fields_.text("timeout_edge_id", "unknown_step").value_or("");
    bool named = fields_.has("timeout_step") || fields_.has("timeout_edge_id");
    if (made_.timeout_action == TimeoutAction::branch && !named)
      fields_.complain("unknown_step", "timeout_step",
                       "\"timeout_action\": \"branch\" needs \"timeout_step\" or "
                       "\"timeout_edge_id\".");
  }

  void read_lookback() {
    made_.related_step = fields_.text("related_step", "unknown_step").value_or("");
    if (const Value* at = fields_.known("related_at")) {
      made_.related_at = at->is_string() ? parse_rfc3339(at->as_string()) : std::nullopt;
      if (!made_.related_at)
        fields_.complain("invalid_lookback", "related_at",
                         "\"related_at\" must be an instant such as 2026-01-26T10:00:00Z.");
    }
    const Value* lookback = fields_.known("lookback");
    if (lookback == nullptr) return;
    if (*lookback == Value("run_start")) {
      made_.lookback = Lookback::run_start;
    } else if (*lookback == Value("none")) {
      made_.lookback = Lookback::none;
    } else if (lookback->is_integer() && lookback->as_integer() >= 0 &&
               lookback->as_integer() <= lookback_minutes_max) {
      made_.lookback = Lookback::minutes;
      made_.lookback_minutes = lookback->as_integer();
    } else {
      return fields_.complain("invalid_lookback", "lookback",
                              "\"lookback\" must be \"run_start\", \"none\" or whole minutes from "
                              "0 to " +
                                  std::to_string(lookback_minutes_max) + "; it is " +
                                  shortened(to_json(*lookback)) + ".");
    }
    if (fields_.has("related_step") || fields_.has("related_at"))
      fields_.complain("invalid_lookback", "lookback",
                       "\"lookback\" stands instead of \"related_step\" and \"related_at\".");
  }

  const Value& config_;
  const ForEventRules& rules_;
  IsOpen is_open_;
  std::vector<Finding>& findings_;
  ConfigFields fields_;
  ForEvent made_;
};

}  // namespace

std::string_view name_of(EventScope scope) {
  constexpr std::string_view names[] = {"", "contact", "execution", "account"};
  return names[static_cast<size_t>(scope)];
}

ForEventRules for_event_rules(const AccountSettings* account) {
  ForEventRules rules;
  if (account == nullptr) return rules;
  rules.event_types = account->signals.event_types;
  rules.default_timeout = Duration{account->waits.default_timeout_hours * 3'600'000};
  return rules;
}

Result<ForEvent, std::vector<Finding>> read_for_event(const Value& config,
                                                      const ForEventRules& rules, IsOpen is_open) {
  if (!config.is_object())
    return Failure{std::vector<Finding>{
        {"invalid_config", "", "The configuration of a wait must be an object.", {}}}};
  std::vector<Finding> findings;
  ForEvent made = Reader(config, rules, is_open, findings).read();
  if (!findings.empty()) return Failure{std::move(findings)};
  return made;
}

Result<EventScope, Finding> scope_of(const ForEvent& config, bool has_contact) {
  if (config.scope == EventScope::contact && !has_contact)
    return Failure{Finding{"invalid_config",
                           "/scope",
                           "The execution has no contact, so nothing can be heard for it.",
                           {}}};
  if (config.scope != EventScope::unsaid) return config.scope;
  return has_contact ? EventScope::contact : EventScope::execution;
}

}  // namespace fermata::waits
