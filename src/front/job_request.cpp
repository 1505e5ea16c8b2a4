#include "front/job_request.h"

#include "base/json.h"
#include "core/job/request_hash.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

/// Lengths and characters are judged by the core, which knows every way in; here only kinds are.
std::optional<std::string> text(Fields& fields, std::string_view name) {
  const Value* value = fields.any(name);
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_string()) return std::string(value->as_string());
  fields.wrong(name, "A text is expected.");
  return std::nullopt;
}

std::string text_or_empty(Fields& fields, std::string_view name) {
  return text(fields, name).value_or("");
}

std::optional<double> number(Fields& fields, std::string_view name) {
  const Value* value = fields.any(name);
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_number()) return value->as_number();
  fields.wrong(name, "A number is expected.");
  return std::nullopt;
}

std::vector<std::string> texts(Fields& fields, std::string_view name) {
  std::vector<std::string> out;
  const Value* list = fields.any(name);
  if (!list || list->is_null()) return out;
  if (!list->is_array()) {
    fields.wrong(name, "A list of texts is expected.");
    return out;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const Value& item = list->items()[i];
    if (item.is_string()) {
      out.emplace_back(item.as_string());
    } else {
      fields.add({{"invalid_field",
                   fields.path_of(name) + "/" + std::to_string(i),
                   "A text is expected.",
                   {}}});
    }
  }
  return out;
}

/// Reads the object `name` by `read(Fields&)`; absent when it is not given.
template <class T, class Read>
std::optional<T> part(Fields& fields, std::string_view name, Read read) {
  Value object = fields.object(name);
  if (object.is_null()) return std::nullopt;
  Fields inner(object, fields.path_of(name));
  T out = read(inner);
  if (auto done = inner.finish(); !done) fields.add(std::move(done).error().findings);
  return out;
}

job::Budget read_budget(Fields& fields) {
  job::Budget budget;
  budget.deadline_ms = fields.integer("deadline_ms", 1, INT64_MAX);
  budget.max_input_tokens = fields.integer("max_input_tokens", 0, INT64_MAX);
  budget.max_output_tokens = fields.integer("max_output_tokens", 0, INT64_MAX);
  budget.max_total_tokens = fields.integer("max_total_tokens", 0, INT64_MAX);
  budget.max_cost_micros = fields.integer("max_cost_micros", 0, INT64_MAX);
  return budget;
}

job::RetryPolicy read_retry(Fields& fields) {
  job::RetryPolicy retry;
  if (auto attempts = fields.integer("max_attempts", 1, job::retry_attempts_max))
    retry.max_attempts = static_cast<uint32_t>(*attempts);
  retry.backoff_ms = fields.integer("backoff_ms", 0, INT64_MAX).value_or(retry.backoff_ms);
  retry.max_backoff_ms =
      fields.integer("max_backoff_ms", 0, INT64_MAX).value_or(retry.max_backoff_ms);
  retry.multiplier = number(fields, "multiplier").value_or(retry.multiplier);
  retry.jitter = number(fields, "jitter").value_or(retry.jitter);
  const Value* codes = fields.any("retry_on");
  if (codes && codes->is_string() && codes->as_string() == "any") {
    retry.retry_on = {"any"};
  } else if (codes && !codes->is_null()) {
    retry.retry_on = texts(fields, "retry_on");
  }
  return retry;
}

job::Concurrency read_concurrency(Fields& fields) {
  job::Concurrency concurrency;
  concurrency.key = text_or_empty(fields, "key");
  fields.require("limit");
  concurrency.limit = static_cast<uint32_t>(fields.integer("limit", 1, UINT32_MAX).value_or(1));
  return concurrency;
}

job::Compensation read_compensation(Fields& fields) {
  job::Compensation undo;
  fields.require("topic");
  undo.topic = text_or_empty(fields, "topic");
  if (const Value* input = fields.any("input")) undo.input = job::Payload::of(*input);
  undo.labels = fields.object("labels");
  undo.env = fields.object("env");
  undo.budget = part<job::Budget>(fields, "budget", read_budget);
  undo.capability = text_or_empty(fields, "capability");
  undo.risk_tags = texts(fields, "risk_tags");
  undo.requires_ = texts(fields, "requires");
  undo.retry = part<job::RetryPolicy>(fields, "retry", read_retry);
  undo.idempotency_key = text_or_empty(fields, "idempotency_key");
  if (auto when = text(fields, "when")) {
    if (*when == "dispatched") {
      undo.when = job::CompensateWhen::dispatched;
    } else if (*when != "succeeded") {
      fields.wrong("when", "`succeeded` or `dispatched` is expected.");
    }
  }
  return undo;
}

job::Actor read_actor(Fields& fields) {
  job::Actor actor;
  fields.require("id");
  actor.id = text_or_empty(fields, "id");
  if (auto type = text(fields, "type")) {
    if (*type == "human") {
      actor.type = job::ActorType::human;
    } else if (*type != "service") {
      fields.wrong("type", "`human` or `service` is expected.");
    }
  }
  return actor;
}

void read_limits(Fields& fields, job::Request& request) {
  request.budget = part<job::Budget>(fields, "budget", read_budget);
  request.run_timeout_ms = fields.integer("run_timeout_ms", 0, INT64_MAX);
  request.start_timeout_ms = fields.integer("start_timeout_ms", 0, INT64_MAX);
  request.queue_timeout_ms = fields.integer("queue_timeout_ms", 0, INT64_MAX);
  request.retry = part<job::RetryPolicy>(fields, "retry", read_retry);
  request.scheduling_attempts_max =
      part<std::optional<uint32_t>>(fields, "scheduling", [](Fields& inner) {
        std::optional<uint32_t> most;
        if (auto given = inner.integer("max_attempts", 0, UINT32_MAX))
          most = static_cast<uint32_t>(*given);
        return most;
      }).value_or(std::nullopt);
  request.concurrency = part<job::Concurrency>(fields, "concurrency", read_concurrency);
}

job::Request read_request(Fields& fields, const JobSubmitter& who) {
  job::Request request;
  fields.require("topic");
  request.topic = text_or_empty(fields, "topic");
  const Value* input = fields.any("input");
  request.input = job::Payload::of(input ? *input : Value());
  request.env = fields.object("env");
  request.adapter_id = text_or_empty(fields, "adapter_id");
  request.memory_id = text_or_empty(fields, "memory_id");
  if (auto name = text(fields, "priority")) {
    auto priority = job::priority_of(*name);
    if (!priority) fields.wrong("priority", "`critical`, `interactive` or `batch` is expected.");
    request.priority = priority.value_or(request.priority);
  }
  request.labels = fields.object("labels");
  request.capability = text_or_empty(fields, "capability");
  request.risk_tags = texts(fields, "risk_tags");
  request.requires_ = texts(fields, "requires");
  request.pack_id = text_or_empty(fields, "pack_id");
  request.actor = part<job::Actor>(fields, "actor", read_actor).value_or(who.owner);
  request.principal_id = text_or_empty(fields, "principal_id");
  read_limits(fields, request);
  request.compensation = part<job::Compensation>(fields, "compensation", read_compensation);
  request.parent_job = JobId(text_or_empty(fields, "parent_job_id"));
  request.saga_id = text_or_empty(fields, "saga_id");
  request.traceparent = text_or_empty(fields, "traceparent");
  return request;
}

void read_key(Fields& fields, const std::string& header, job::Request& request) {
  request.idempotency_key = text_or_empty(fields, "idempotency_key");
  if (header.empty()) return;
  if (!request.idempotency_key.empty() && request.idempotency_key != header)
    fields.wrong("idempotency_key", "The header Idempotency-Key says otherwise.");
  request.idempotency_key = header;
}

/// Findings of the core, whose paths begin at the job.
std::vector<Finding> below(const std::string& path, std::vector<Finding> findings) {
  for (Finding& finding : findings) finding.path.insert(0, path);
  return findings;
}

bool says(const std::vector<Finding>& findings, std::string_view path) {
  for (const Finding& finding : findings)
    if (finding.path == path) return true;
  return false;
}

}  // namespace

Outcome<JobSubmission> read_job(const Value& body, const JobSubmitter& who,
                                const std::string& idempotency_header,
                                const job::RequestLimits& limits, const std::string& path) {
  Fields fields(body, path);
  JobSubmission out;
  std::string id = text_or_empty(fields, "id");
  std::string account = text_or_empty(fields, "account_id");
  out.submit.request = read_request(fields, who);
  read_key(fields, idempotency_header, out.submit.request);
  if (!id.empty()) fields.add(job::check_job_id(id, path + "/id"));
  job::normalize(out.submit.request);
  // A topic that was not given is told once.
  std::vector<Finding> known = fields.findings();
  for (Finding& finding : below(path, job::check_request(out.submit.request, limits)))
    if (!says(known, finding.path)) fields.add({std::move(finding)});
  FERMATA_TRY_VOID(fields.finish());
  if (!account.empty() && account != who.account.text())
    return fail(ErrorCode::account_mismatch, "The key belongs to another account.");
  const std::string& key = out.submit.request.idempotency_key;
  out.id = JobId(id);
  if (id.empty() && !key.empty()) out.id = job::job_id_of_key(who.account, key);
  out.submit.account = who.account;
  out.submit.source = job::Source::api;
  out.submit.submitter = who.key_id + ":" + out.submit.request.actor.id;
  return out;
}

Outcome<job::AmendJob> read_amend(const Value& body) {
  Fields fields(body);
  job::AmendJob amend;
  amend.topic = text(fields, "topic");
  if (const Value* input = fields.any("input")) amend.input = job::Payload::of(*input);
  if (Value labels = fields.object("labels"); labels.is_object()) amend.labels = labels;
  amend.budget = part<job::Budget>(fields, "budget", read_budget);
  FERMATA_TRY_VOID(fields.finish());
  if (!amend.topic && !amend.input && !amend.labels && !amend.budget)
    return fail(ErrorCode::invalid_field, "Nothing is amended.",
                {{"invalid_field", "", "At least one of topic, input, labels, budget.", {}}});
  return amend;
}

}  // namespace fermata::front
