#include "base/json.h"
#include "core/job/history.h"
#include "core/job/view.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

void refuse_full(Api& api, const Call& call) {
  bool stopping = api.stopping();
  api.fail(call, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                  stopping ? "The server is stopping." : "The engine's queue is full.",
                  {}});
}

/// Fails when the registration is another account's.
Outcome<void> own_registration(const Workers& workers, const Call& call, const RegistrationId& id) {
  const fleet::Registration* known = workers.fleet().find(id);
  // Whoever is not known at all is told by the call itself what became of it.
  if (!known || known->card.accounts.empty()) return {};
  for (const std::string& account : known->card.accounts)
    if (account == call.who.account.text()) return {};
  return fail(ErrorCode::registration_not_found, "There is no registration `" + id.text() + "`.");
}

}  // namespace

void send_job(Api& api, Call call, job::Command command, JobDone done) {
  command.actor = call.who.actor;
  Call spare = call;
  bool taken = api.jobs().submit_job(
      std::move(command),
      [&api, call = std::move(call), done = std::move(done)](Outcome<JobTold> told) {
        if (!told) return api.fail(call, told.error());
        done(api, call, *told);
      });
  if (!taken) refuse_full(api, spare);
}

void visit_workers(Api& api, Call call, WorkersVisit visit) {
  Call spare = call;
  bool taken = api.jobs().with_workers([call = std::move(call), visit = std::move(visit)](
                                           Workers& workers) { visit(workers, call); });
  if (!taken) refuse_full(api, spare);
}

void visit_registration(Api& api, Call call, RegistrationId id, WorkersVisit visit) {
  visit_workers(
      api, std::move(call),
      [&api, id = std::move(id), visit = std::move(visit)](Workers& workers, const Call& asked) {
        auto known = own_registration(workers, asked, id);
        if (!known) return api.fail(asked, known.error());
        visit(workers, asked);
      });
}

Outcome<job::Job> own_job(Api& api, const Call& call) {
  return own_job(api, call.who.account, JobId(call.variable(0)));
}

Outcome<job::Job> own_job(Api& api, const AccountId& account, const JobId& id) {
  FERMATA_TRY(stored, api.reader().find_job(id));
  if (stored.version == 0 || stored.summary.account != account)
    return fail(ErrorCode::job_not_found, "There is no job `" + id.text() + "`.");
  return job::fold(id, stored.history);
}

Outcome<Value> payload_value(Api& api, const AccountId& account, const job::Payload& payload) {
  if (!payload.in_blob) return payload.value;
  FERMATA_TRY(text, api.job_files().blob(account, payload.sha256));
  if (!text) return fail(ErrorCode::data_damaged, "a blob that the job refers to is missing");
  return parse_json(*text, {.nesting_max = api.options().job_limits.report.nesting_max});
}

Outcome<Value> output_value(Api& api, const job::Job& job) {
  // What may be used before it was scanned stands beside the job until then.
  if (job.state == job::State::succeeded && job.held) return held_value(api, job.id);
  return payload_value(api, job.account, job.output);
}

Outcome<Value> ended_job(Api& api, const AccountId& account, const JobId& id) {
  FERMATA_TRY(job, own_job(api, account, id));
  FERMATA_TRY(output, output_value(api, job));
  Value out = job::view::receipt(summarize(job, {}));
  out.set("output", std::move(output));
  out.set("error", job.error);
  return out;
}

void send_bytes(const Call& call, std::string bytes) {
  http::Response response;
  response.content_type = "application/octet-stream";
  response.headers.emplace_back("Content-Disposition", "attachment");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.body = std::move(bytes);
  call.send(std::move(response));
}

Value lease_list(const std::vector<fleet::LeaseKey>& leases) {
  Value list = Value::array();
  for (const fleet::LeaseKey& lease : leases)
    list.push(Value::object({{"job_id", lease.job.text()}, {"fence", lease.fence}}));
  return list;
}

}  // namespace fermata::server::routes
