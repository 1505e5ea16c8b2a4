#include "base/uuid.h"
#include "core/job/request_read.h"
#include "core/job/undo.h"
#include "core/job/view.h"
#include "front/dead_letter_query.h"
#include "front/fields.h"
#include "server/routes/bulk_letter.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"
#include "server/routes/saga_routes.h"

namespace fermata::server::routes {
namespace {

/// The whole request once more, judged anew (J-84).
job::Request repeated(const job::Job& job, const std::string& entry) {
  job::Request request = job.request;
  request.parent_job = job.id;
  request.step = {};
  request.idempotency_key.clear();
  Value labels = request.labels.is_object() ? request.labels : Value::object();
  labels.set("retry", "true");
  labels.set("dlq_entry", entry);
  request.labels = std::move(labels);
  return request;
}

/// What was done too late is undone as its own compensation says (J-74).
Outcome<job::Request> undoing(const job::Job& job, const std::string& entry,
                              const job::RequestLimits& limits) {
  Value undo = job::undo_request(job);
  if (!undo.is_object())
    return fail(ErrorCode::nothing_to_undo, "The job declares no compensation.");
  std::string key = "late-" + job.id.text();
  if (undo.get("idempotency_key").is_string()) key = undo.get("idempotency_key").as_string();
  undo.erase("idempotency_key");
  if (!undo.find("input") && !undo.find("input_blob")) {
    Value both = Value::object({{"output", Value()}, {"output_withheld", true}});
    both.set("input", job.request.input.in_blob ? Value() : job.request.input.value);
    undo.set("input", std::move(both));
  }
  OrderJob order;
  order.request = std::move(undo);
  order.idempotency_key = std::move(key);
  order.undoes = job.id;
  FERMATA_TRY(read, job::read_order(order, limits));
  read.request.labels = Value::object({{"retry", "true"}, {"dlq_entry", entry}});
  return std::move(read.request);
}

Outcome<void> take_changes(job::Request& request, const Value& body) {
  front::Fields fields(body);
  Value changes = fields.object("changes");
  FERMATA_TRY_VOID(fields.finish());
  if (!changes.is_object()) return {};
  front::Fields inner(changes, "/changes");
  if (auto topic = inner.text("topic")) request.topic = *topic;
  if (const Value* input = inner.any("input")) request.input = job::Payload::of(*input);
  if (auto name = inner.text("priority")) {
    auto priority = job::priority_of(*name);
    if (!priority) inner.wrong("priority", "`critical`, `interactive` or `batch` is expected.");
    request.priority = priority.value_or(request.priority);
  }
  Value labels = inner.object("labels");
  if (labels.is_object())
    for (const Value::Member& label : labels.members())
      request.labels.set(label.key.as_string(), label.value);
  Value budget = inner.object("budget");
  std::vector<Finding> findings;
  if (budget.is_object()) request.budget = job::read_budget(budget, findings, "/changes/budget");
  inner.add(std::move(findings));
  FERMATA_TRY_VOID(inner.finish());
  normalize(request);
  return {};
}

/// However often it is asked for, it is one job.
JobId retried_as(const std::string& entry) {
  return JobId(uuid_v5("fermata.dlq.retry\n" + entry + "\n1"));
}

void answer_retried(Api& api, const Call& call, const std::string& entry, const JobId& job) {
  DeadLetters::Resolve resolve{entry, Resolution::retried, call.who.actor, api.now(), job};
  auto resolved =
      api.dead_letters().resolve_dead_letter(resolve, api.audit(call, "dlq.retry", entry));
  // The same was asked twice: the job is there, and the entry resolved.
  bool known = !resolved && resolved.error().code == ErrorCode::wrong_state;
  if (!resolved && !known) return api.fail(call, resolved.error());
  auto shown = own_job(api, call.who.account, job);
  if (!shown) return api.fail(call, shown.error());
  Value body = job::view::receipt(summarize(*shown, {}));
  body.set("dlq_entry", entry);
  call.send_json(201, body);
}

/// What undoes an entry of a saga is tried again there.
void retry_in_saga(Api& api, Call call, const job::Job& job) {
  auto own = own_state(api, call.who.account, job.request.step.run);
  if (!own) return api.fail(call, own.error());
  for (const SagaEntry& entry : own->run.saga.entries)
    if (entry.undo_job == job.id) {
      RunId run = own->run.id;
      return decide_undo(api, std::move(call), run, entry.seq, SagaOrder{RetryUndo{entry.seq}},
                         Resolution::retried);
    }
  api.fail(call, {ErrorCode::undo_not_parked, "The saga does not wait for this job.", {}});
}

Outcome<job::Request> request_of(Api& api, const DeadLetterEntry& entry, const job::Job& job) {
  if (entry.letter.reason_code == "late_success")
    return undoing(job, entry.letter.id, api.options().job_limits.request);
  if (job.of_run())
    return fail(ErrorCode::wrong_state,
                "The job is a step of execution " + job.request.step.run.text() +
                    ": retry that, by POST /executions/" + job.request.step.run.text() + "/retry.");
  return repeated(job, entry.letter.id);
}

}  // namespace

void retry_dead_letter(Api& api, Call call) {
  auto entry = own_dead_letter(api, call);
  if (!entry) return api.fail(call, entry.error());
  auto job = own_job(api, call.who.account, entry->letter.job);
  if (!job) return api.fail(call, job.error());
  if (!entry->open() && entry->retried_as.empty())
    return api.fail(call, {ErrorCode::wrong_state, "The entry is resolved already.", {}});
  bool in_saga = job->undoes() && job->of_run() && entry->letter.reason_code != "late_success";
  if (in_saga) return retry_in_saga(api, std::move(call), *job);
  auto request = request_of(api, *entry, *job);
  if (!request) return api.fail(call, request.error());
  auto changed = take_changes(*request, call.body);
  if (!changed) return api.fail(call, changed.error());
  std::string id = entry->letter.id;
  JobId retried = retried_as(id);
  job::SubmitJob submit;
  submit.account = call.who.account;
  submit.request = *std::move(request);
  submit.submitter = call.who.actor;
  send_job(api, std::move(call), {retried, std::move(submit)},
           [id, retried](Api& told, const Call& asked, const JobTold&) {
             // The partition's thread must not wait for the disk.
             told.pool().submit_owed(
                 [&told, asked, id, retried] { answer_retried(told, asked, id, retried); });
           });
}

namespace {

/// The job that retries an entry of the account; nothing when there is one already.
Outcome<std::optional<job::Command>> retry_of(Api& api, const BulkRecord& bulk,
                                              const std::string& item, bool repeated) {
  FERMATA_TRY(entry, api.dead_letters().dead_letter(item));
  if (!entry || entry->letter.account != bulk.account)
    return fail(ErrorCode::value_not_found, "There is no entry `" + item + "`.");
  if (!entry->open()) {
    if (repeated && entry->retried_as == retried_as(item)) return std::optional<job::Command>();
    return fail(ErrorCode::wrong_state, "The entry is resolved already.");
  }
  FERMATA_TRY(job, own_job(api, bulk.account, entry->letter.job));
  FERMATA_TRY(request, request_of(api, *entry, job));
  job::SubmitJob submit;
  submit.account = bulk.account;
  submit.request = std::move(request);
  submit.submitter = bulk.actor;
  return std::optional(job::Command{retried_as(item), std::move(submit), bulk.actor, bulk.account});
}

}  // namespace

void act_on_letter(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                   BulkDone done) {
  auto command = retry_of(api, bulk, item, repeated);
  if (!command) return done(Failure{command.error()});
  if (!*command) return done({});
  AuditLine line{bulk.account, api.now(), bulk.actor, "dlq.retry", item, bulk.reason, {}};
  auto settle = [&api, item, done, line](const Outcome<JobTold>& told) {
    if (!told) return done(Failure{told.error()});
    // The partition's thread must not wait for the disk.
    api.pool().submit_owed([&api, item, done, line] {
      DeadLetters::Resolve resolve{item, Resolution::retried, line.actor, line.at,
                                   retried_as(item)};
      auto resolved = api.dead_letters().resolve_dead_letter(resolve, line);
      // Somebody else may have been faster; the job is there.
      bool known = !resolved && resolved.error().code == ErrorCode::wrong_state;
      if (!resolved && !known) return done(Failure{resolved.error()});
      done({});
    });
  };
  if (!api.jobs().submit_job(**std::move(command), std::move(settle)))
    done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace fermata::server::routes
