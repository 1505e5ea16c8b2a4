#include "front/simulation_request.h"

#include "front/fields.h"
#include "front/start_request.h"

namespace fermata::front {

namespace {

constexpr int64_t latency_ms_max = int64_t{366} * 86'400'000;

/// A share between 0 and 1.
double share(Fields& fields, std::string_view name) {
  const Value* given = fields.any(name);
  if (!given || given->is_null()) return 0;
  double value = given->is_number() ? given->as_number() : -1;
  if (value >= 0 && value <= 1) return value;
  fields.wrong(name, "A number between 0 and 1 is expected.");
  return 0;
}

/// `answer_name` is what the answer is called there; empty: there is none.
trial::Manner read_manner(Fields& fields, std::string_view failure_name,
                          std::string_view answer_name) {
  trial::Manner manner;
  manner.latency_min_ms = fields.integer("latency_min_ms", 0, latency_ms_max).value_or(0);
  manner.latency_max_ms =
      fields.integer("latency_max_ms", 0, latency_ms_max).value_or(manner.latency_min_ms);
  if (manner.latency_max_ms < manner.latency_min_ms)
    fields.wrong("latency_max_ms", "It is less than latency_min_ms.");
  manner.failure = share(fields, failure_name);
  if (answer_name.empty()) return manner;
  if (const Value* answer = fields.any(answer_name)) manner.answer = *answer;
  return manner;
}

struct RuleWords {
  std::string_view failure;
  std::string_view answer;
  bool has_status = false;
};

void read_rules(Fields& fields, std::string_view name, const RuleWords& words,
                std::vector<trial::Rule>& rules) {
  const Value* list = fields.any(name);
  if (!list || list->is_null()) return;
  if (!list->is_array() || list->size() > SimulationLimits::rules_max) {
    fields.wrong(name, "A list of at most " + std::to_string(SimulationLimits::rules_max) +
                           " rules is expected.");
    return;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    Fields inner(list->items()[i], "/" + std::string(name) + "/" + std::to_string(i));
    trial::Rule rule;
    rule.name = inner.text("name").value_or("");
    inner.require("name");
    rule.manner = read_manner(inner, words.failure, words.answer);
    if (words.has_status)
      rule.manner.status = static_cast<int>(inner.integer("status", 100, 599).value_or(200));
    if (auto read = inner.finish(); !read) fields.add(read.error().findings);
    rules.push_back(std::move(rule));
  }
}

std::optional<trial::Promise> read_promise(const Value& given, const std::string& path,
                                           Fields& fields) {
  trial::Promise promise;
  if (given == Value("ends") || given == Value("completes")) {
    promise.name = given.as_string();
    promise.kind =
        promise.name == "ends" ? trial::Promise::Kind::ends : trial::Promise::Kind::completes;
    return promise;
  }
  if (!given.is_object()) {
    fields.add({{"invalid_field", path, "`ends`, `completes` or {name, condition}.", {}}});
    return std::nullopt;
  }
  Fields inner(given, path);
  promise.name = inner.text("name").value_or("");
  std::string condition = inner.text("condition", 4'000).value_or("");
  inner.require("name");
  inner.require("condition");
  if (!condition.empty()) {
    auto parsed = flow::parse(condition, flow::Grammar::condition);
    if (parsed)
      promise.condition = *std::move(parsed);
    else
      inner.wrong("condition", parsed.error().message);
  }
  if (auto read = inner.finish(); !read) {
    fields.add(read.error().findings);
    return std::nullopt;
  }
  return promise;
}

void read_promises(Fields& fields, std::vector<trial::Promise>& promises) {
  const Value* list = fields.any("promises");
  if (!list || list->is_null()) {
    promises = {{"ends", trial::Promise::Kind::ends},
                {"completes", trial::Promise::Kind::completes}};
    return;
  }
  if (!list->is_array() || list->size() > SimulationLimits::promises_max) {
    fields.wrong("promises", "A list of at most " + std::to_string(SimulationLimits::promises_max) +
                                 " promises is expected.");
    return;
  }
  for (size_t i = 0; i < list->size(); ++i)
    if (auto promise = read_promise(list->items()[i], "/promises/" + std::to_string(i), fields))
      promises.push_back(*std::move(promise));
}

void read_faults(Fields& fields, trial::Faults& faults) {
  Value given = fields.object("faults");
  if (!given.is_object()) return;
  Fields inner(given, "/faults");
  faults.late_ms_max = inner.integer("late_ms_max", 0, latency_ms_max).value_or(0);
  faults.restart = share(inner, "restart");
  faults.twice = share(inner, "twice");
  if (auto read = inner.finish(); !read) fields.add(read.error().findings);
}

}  // namespace

Outcome<SimulationRequest> read_simulation(const Value& body) {
  Fields fields(body);
  SimulationRequest request;
  trial::Plan& plan = request.plan;
  request.name = fields.text("name").value_or("");
  request.workflow = fields.id("workflow_id").value_or("");
  if (auto version = fields.integer("version", 1, UINT32_MAX))
    request.version = static_cast<uint32_t>(*version);
  request.definition = fields.object("definition");
  bool draft = request.definition.is_object();
  if (draft == !request.workflow.empty())
    fields.wrong(draft ? "definition" : "workflow_id",
                 "One of workflow_id and definition says what is tried.");
  const Value* input = fields.any("input");
  plan.input = input ? *input : Value::object();
  plan.labels = fields.object("labels");
  fields.add(check_labels(plan.labels));
  request.contact_id = fields.id("contact_id").value_or("");
  request.start_at = fields.instant("start_at");
  plan.horizon = Duration{
      fields
          .integer("horizon_ms", SimulationLimits::horizon_ms_min, SimulationLimits::horizon_ms_max)
          .value_or(int64_t{365} * 86'400'000)};
  request.seeds = static_cast<uint64_t>(
      fields.integer("seeds", 1, static_cast<int64_t>(SimulationLimits::seeds_max)).value_or(100));
  request.first_seed =
      static_cast<uint64_t>(fields.integer("first_seed", 0, INT64_C(1) << 52).value_or(1));
  read_rules(fields, "calls", {"failure", "body", true}, plan.calls);
  read_rules(fields, "jobs", {"failure", "output"}, plan.jobs);
  read_rules(fields, "signals", {"missing", "payload"}, plan.signals);
  Value approvals = fields.object("approvals");
  if (approvals.is_object()) {
    Fields inner(approvals, "/approvals");
    plan.approvals = read_manner(inner, "reject", "");
    if (auto read = inner.finish(); !read) fields.add(read.error().findings);
  }
  read_faults(fields, plan.faults);
  read_promises(fields, plan.promises);
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

}  // namespace fermata::front
