#include "core/job/history.h"
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
  JobId id(call.variable(0));
  FERMATA_TRY(stored, api.reader().find_job(id));
  if (stored.version == 0 || stored.summary.account != call.who.account)
    return fail(ErrorCode::job_not_found, "There is no job `" + id.text() + "`.");
  return job::fold(id, stored.history);
}

Value lease_list(const std::vector<fleet::LeaseKey>& leases) {
  Value list = Value::array();
  for (const fleet::LeaseKey& lease : leases)
    list.push(Value::object({{"job_id", lease.job.text()}, {"fence", lease.fence}}));
  return list;
}

}  // namespace fermata::server::routes
