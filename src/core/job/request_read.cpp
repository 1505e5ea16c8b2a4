#include "core/job/request_read.h"

#include "core/job/members.h"
#include "core/job/undo.h"

namespace fermata::job {

namespace {

/// Reads the object `name` by `read(Members&)`; absent when it is not given.
template <class T, class Read>
std::optional<T> part(Members& members, std::string_view name, Read read) {
  Value object = members.object(name);
  if (object.is_null()) return std::nullopt;
  Members inner(object, members.path_of(name), members.findings());
  T out = read(inner);
  inner.finish();
  return out;
}

Budget budget_of(Members& members) {
  Budget budget;
  budget.deadline_ms = members.integer("deadline_ms", 1, INT64_MAX);
  budget.max_input_tokens = members.integer("max_input_tokens", 0, INT64_MAX);
  budget.max_output_tokens = members.integer("max_output_tokens", 0, INT64_MAX);
  budget.max_total_tokens = members.integer("max_total_tokens", 0, INT64_MAX);
  budget.max_cost_micros = members.integer("max_cost_micros", 0, INT64_MAX);
  return budget;
}

RetryPolicy retry_of(Members& members) {
  RetryPolicy retry;
  if (auto attempts = members.integer("max_attempts", 1, retry_attempts_max))
    retry.max_attempts = static_cast<uint32_t>(*attempts);
  retry.backoff_ms = members.integer("backoff_ms", 0, INT64_MAX).value_or(retry.backoff_ms);
  retry.max_backoff_ms =
      members.integer("max_backoff_ms", 0, INT64_MAX).value_or(retry.max_backoff_ms);
  retry.multiplier = members.number("multiplier").value_or(retry.multiplier);
  retry.jitter = members.number("jitter").value_or(retry.jitter);
  const Value* codes = members.any("retry_on");
  if (codes && codes->is_string() && codes->as_string() == "any") {
    retry.retry_on = {"any"};
  } else if (codes && !codes->is_null()) {
    retry.retry_on = members.texts("retry_on");
  }
  return retry;
}

Concurrency concurrency_of(Members& members) {
  Concurrency concurrency;
  concurrency.key = members.text_or_empty("key");
  members.require("limit");
  concurrency.limit = static_cast<uint32_t>(members.integer("limit", 1, UINT32_MAX).value_or(1));
  return concurrency;
}

Compensation compensation_of(Members& members) {
  Compensation undo;
  members.require("topic");
  undo.topic = members.text_or_empty("topic");
  if (const Value* input = members.any("input")) undo.input = Payload::of(*input);
  if (const Value* computed = members.any("computed")) undo.computed = *computed;
  undo.labels = members.object("labels");
  undo.env = members.object("env");
  undo.budget = part<Budget>(members, "budget", budget_of);
  undo.capability = members.text_or_empty("capability");
  undo.risk_tags = members.texts("risk_tags");
  undo.requires_ = members.texts("requires");
  undo.retry = part<RetryPolicy>(members, "retry", retry_of);
  undo.idempotency_key = members.text_or_empty("idempotency_key");
  if (auto when = members.text("when")) {
    if (*when == "dispatched") {
      undo.when = CompensateWhen::dispatched;
    } else if (*when != "succeeded") {
      members.wrong("when", "`succeeded` or `dispatched` is expected.");
    }
  }
  return undo;
}

Actor actor_of(Members& members) {
  Actor actor;
  members.require("id");
  actor.id = members.text_or_empty("id");
  if (auto type = members.text("type")) {
    if (*type == "human") {
      actor.type = ActorType::human;
    } else if (*type != "service") {
      members.wrong("type", "`human` or `service` is expected.");
    }
  }
  return actor;
}

std::optional<uint32_t> scheduling_of(Members& members) {
  auto most = members.integer("max_attempts", 0, UINT32_MAX);
  if (!most) return std::nullopt;
  return static_cast<uint32_t>(*most);
}

void read_limits(Members& members, Request& request) {
  request.budget = part<Budget>(members, "budget", budget_of);
  request.run_timeout_ms = members.integer("run_timeout_ms", 0, INT64_MAX);
  request.start_timeout_ms = members.integer("start_timeout_ms", 0, INT64_MAX);
  request.queue_timeout_ms = members.integer("queue_timeout_ms", 0, INT64_MAX);
  request.retry = part<RetryPolicy>(members, "retry", retry_of);
  if (auto most = part<std::optional<uint32_t>>(members, "scheduling", scheduling_of))
    request.scheduling_attempts_max = *most;
  request.concurrency = part<Concurrency>(members, "concurrency", concurrency_of);
}

Request request_of(Members& members, const Actor& actor) {
  Request request;
  members.require("topic");
  request.topic = members.text_or_empty("topic");
  const Value* input = members.any("input");
  request.input = Payload::of(input ? *input : Value());
  request.env = members.object("env");
  request.adapter_id = members.text_or_empty("adapter_id");
  request.memory_id = members.text_or_empty("memory_id");
  if (auto name = members.text("priority")) {
    auto priority = priority_of(*name);
    if (!priority) members.wrong("priority", "`critical`, `interactive` or `batch` is expected.");
    request.priority = priority.value_or(request.priority);
  }
  request.labels = members.object("labels");
  request.capability = members.text_or_empty("capability");
  request.risk_tags = members.texts("risk_tags");
  request.requires_ = members.texts("requires");
  request.pack_id = members.text_or_empty("pack_id");
  request.actor = part<Actor>(members, "actor", actor_of).value_or(actor);
  request.principal_id = members.text_or_empty("principal_id");
  read_limits(members, request);
  request.idempotency_key = members.text_or_empty("idempotency_key");
  request.compensation = part<Compensation>(members, "compensation", compensation_of);
  request.parent_job = JobId(members.text_or_empty("parent_job_id"));
  request.saga_id = members.text_or_empty("saga_id");
  request.traceparent = members.text_or_empty("traceparent");
  return request;
}

/// An input that lies in a blob already is referred to (J-2).
void read_undo_input(Members& members, Request& request) {
  Value blob = members.object("input_blob");
  if (!blob.is_object()) return;
  request.input = Payload{};
  request.input.sha256 = std::string(blob.get("sha256").as_string());
  request.input.bytes = static_cast<uint64_t>(blob.get("bytes").as_integer());
  request.input.in_blob = true;
}

bool tells_of(const std::vector<Finding>& findings, size_t count, std::string_view path) {
  for (size_t i = 0; i < count; ++i)
    if (findings[i].path == path) return true;
  return false;
}

/// Adds what the check finds; what reading has found already is told once.
void check_also(ReadRequest& read, const RequestLimits& limits, const std::string& path) {
  normalize(read.request);
  size_t known = read.findings.size();
  for (Finding& finding : check_request(read.request, limits)) {
    finding.path.insert(0, path);
    if (!tells_of(read.findings, known, finding.path)) read.findings.push_back(std::move(finding));
  }
}

}  // namespace

ReadRequest read_request(const Value& body, const Actor& actor, const RequestLimits& limits,
                         std::initializer_list<std::string_view> others, const std::string& path) {
  ReadRequest read;
  Members members(body, path, read.findings);
  for (std::string_view name : others) members.know(name);
  read.request = request_of(members, actor);
  members.finish();
  check_also(read, limits, path);
  return read;
}

Budget read_budget(const Value& body, std::vector<Finding>& findings, const std::string& path) {
  Members members(body, path, findings);
  Budget budget = budget_of(members);
  members.finish();
  return budget;
}

Outcome<ReadRequest> read_order(const OrderJob& order, const RequestLimits& limits) {
  ReadRequest read;
  Members members(order.request, "", read.findings);
  Request& request = read.request;
  request = request_of(members, Actor{"workflow " + order.workflow.text(), ActorType::service});
  members.know("on_parent_end");
  for (const char* name : {"pool", "queue"}) {
    auto pool = members.text(name);
    if (!pool || pool->empty()) continue;
    if (request.labels.is_null()) request.labels = Value::object();
    request.labels.set("preferred_pool", *pool);
  }
  if (auto deadline = members.integer("deadline_ms", 1, INT64_MAX)) {
    if (!request.budget) request.budget.emplace();
    request.budget->deadline_ms = deadline;
  }
  if (auto limit = members.integer("timeout_ms", 0, INT64_MAX)) request.run_timeout_ms = limit;
  if (!order.undoes.empty()) read_undo_input(members, request);
  members.finish();
  request.idempotency_key = order.idempotency_key;
  request.step.run = order.run;
  request.step.workflow = order.workflow;
  request.step.definition = order.definition;
  request.step.step_id = order.step;
  request.step.started_by = order.started_by;
  if (!order.undoes.empty()) request.parent_job = order.undoes;
  check_also(read, limits, "");
  if (!order.undoes.empty()) mark_undo(request);
  if (read.findings.empty()) return read;
  return fail(ErrorCode::invalid_field, read.findings[0].path + ": " + read.findings[0].message,
              std::move(read.findings));
}

}  // namespace fermata::job
