#include "base/uuid.h"
#include "core/job/remediation.h"
#include "core/job/view.h"
#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/dead_letter_retry.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<std::string> read_remediation_id(const Value& body) {
  front::Fields fields(body);
  std::string id = fields.text("remediation_id").value_or("");
  fields.require("remediation_id");
  FERMATA_TRY_VOID(fields.finish());
  return id;
}

std::string proposals_of(const job::Job& job) {
  std::string out;
  if (job.verdict && job.verdict->remediations.is_array())
    for (const Value& one : job.verdict->remediations.items())
      if (const Value& id = one.get("id"); id.is_string())
        out.append(out.empty() ? "" : ", ").append(id.as_string());
  return out.empty() ? "The rule that denied it proposes none." : "Its rule proposes " + out + ".";
}

Outcome<job::Request> remedied_request(const job::Job& job, const std::string& id) {
  if (job.state != job::State::denied)
    return fail(ErrorCode::wrong_state, "The job is " + std::string(name_of(job.state)) +
                                            "; only one that was denied is submitted otherwise.");
  if (job.of_run())
    return fail(ErrorCode::wrong_state, "The job is a step of execution " +
                                            job.request.step.run.text() +
                                            ", which has gone on without it.");
  const Value* remediation = job::find_remediation(job, id);
  if (!remediation)
    return fail(ErrorCode::value_not_found,
                "There is no remediation `" + id + "`. " + proposals_of(job));
  return job::remediated(job, *remediation);
}

/// The dead letter of the denied job is seen to, and the new one told.
void answer_remediated(Api& api, const Call& call, const JobId& denied, const JobId& made) {
  DeadLetterFilter filter;
  filter.account = call.who.account;
  filter.job = denied;
  auto page = api.dead_letters().dead_letters(filter, 10, "");
  if (!page) return api.fail(call, page.error());
  for (const DeadLetterEntry& entry : page->items) {
    const std::string& id = entry.letter.id;
    auto resolved = resolve_retried(api, id, made, api.audit(call, "dlq.retry", id));
    if (!resolved) return api.fail(call, resolved.error());
  }
  auto shown = own_job(api, call.who.account, made);
  if (!shown) return api.fail(call, shown.error());
  Value body = job::view::receipt(summarize(*shown, {}));
  body.set("parent_job_id", denied.text());
  call.send_json(201, body);
}

}  // namespace

void remediate_job(Api& api, Call call) {
  auto id = read_remediation_id(call.body);
  if (!id) return api.fail(call, id.error());
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  auto request = remedied_request(*job, *id);
  if (!request) return api.fail(call, request.error());
  JobId denied = job->id;
  // However often it is pressed, it is one job.
  JobId made(uuid_v5("fermata.remediate\n" + denied.text() + "\n" + *id));
  job::SubmitJob submit;
  submit.account = call.who.account;
  submit.request = *std::move(request);
  submit.submitter = call.who.actor;
  send_job(api, std::move(call), {made, std::move(submit)},
           [denied, made](Api& told, const Call& asked, const JobTold&) {
             // The partition's thread must not wait for the disk.
             told.pool().submit_owed(
                 [&told, asked, denied, made] { answer_remediated(told, asked, denied, made); });
           });
}

}  // namespace fermata::server::routes
