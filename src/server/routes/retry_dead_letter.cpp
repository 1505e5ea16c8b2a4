#include "core/job/request_read.h"
#include "core/job/view.h"
#include "front/dead_letter_query.h"
#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/dead_letter_retry.h"
#include "server/routes/job_routes.h"
#include "server/routes/saga_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<void> take_changes(job::Request& request, const Value& body,
                           const job::RequestLimits& limits) {
  front::Fields fields(body);
  Value changes = fields.object("changes");
  FERMATA_TRY_VOID(fields.finish());
  if (!changes.is_object()) return {};
  front::Fields inner(changes, "/changes");
  // Other work has a key of its own.
  if (changes.find("topic") || changes.find("input")) request.idempotency_key.clear();
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
  for (Finding& finding : check_request(request, limits)) {
    finding.path = "/changes" + finding.path;
    inner.add({std::move(finding)});
  }
  return inner.finish();
}

void answer_retried(Api& api, const Call& call, const std::string& entry, const JobId& job) {
  auto resolved = resolve_retried(api, entry, job, api.audit(call, "dlq.retry", entry));
  if (!resolved) return api.fail(call, resolved.error());
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

/// Entries that no job has left are tried again where they came from.
Error elsewhere(const job::DeadLetter& letter) {
  std::string path = "/executions/" + letter.run.text() + "/retry";
  if (const Value& delivery = letter.error.get("delivery_id"); delivery.is_string())
    path = "/callbacks/" + std::string(delivery.as_string()) + "/redeliver";
  return {ErrorCode::wrong_state, "No job has left this entry: use POST " + path + ".", {}};
}

}  // namespace

void retry_dead_letter(Api& api, Call call) {
  auto entry = own_dead_letter(api, call);
  if (!entry) return api.fail(call, entry.error());
  if (entry->letter.job.empty()) return api.fail(call, elsewhere(entry->letter));
  auto job = own_job(api, call.who.account, entry->letter.job);
  if (!job) return api.fail(call, job.error());
  bool in_saga = job->undoes() && job->of_run() && entry->letter.reason_code != "late_success";
  if (in_saga) return retry_in_saga(api, std::move(call), *job);
  auto retry = retry_of(api, *entry, *job);
  if (!retry) return api.fail(call, retry.error());
  auto changed = take_changes(retry->request, call.body, api.options().job_limits.request);
  if (!changed) return api.fail(call, changed.error());
  std::string id = entry->letter.id;
  JobId retried = retry->id;
  job::SubmitJob submit;
  submit.account = call.who.account;
  submit.request = std::move(retry->request);
  submit.submitter = call.who.actor;
  send_job(api, std::move(call), {retried, std::move(submit)},
           [id, retried](Api& told, const Call& asked, const JobTold&) {
             // The partition's thread must not wait for the disk.
             told.pool().submit_owed(
                 [&told, asked, id, retried] { answer_retried(told, asked, id, retried); });
           });
}

}  // namespace fermata::server::routes
