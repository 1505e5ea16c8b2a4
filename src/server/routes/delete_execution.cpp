#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

/// An Idempotency-Key is remembered by the run it made.
constexpr Duration key_kept{86'400'000};

Failure<Error> kept(std::string why) { return fail(ErrorCode::execution_kept, std::move(why)); }

/// Fails when something that lives still needs the run.
Outcome<void> check_unneeded(Api& api, const RunSummary& run) {
  if (!is_terminal(run.status))
    return fail(ErrorCode::run_not_finished,
                "The execution `" + run.id.text() + "` has not ended yet.");
  if (!run.request_hash.empty() && run.started_at + key_kept > api.now())
    return kept("It was started with an Idempotency-Key, which is remembered until " +
                to_rfc3339(run.started_at + key_kept) + ".");
  if (!run.parent.empty()) {
    FERMATA_TRY(parent, api.reader().summary(run.parent));
    if (parent && !is_terminal(parent->status))
      return kept("Its parent `" + run.parent.text() + "` has not ended yet.");
  }
  RunFilter children;
  children.account = run.account;
  children.parent = run.id;
  children.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  FERMATA_TRY(page, api.reader().list(children, 1, ""));
  if (!page.items.empty())
    return kept("Its child `" + page.items[0].id.text() + "` has not ended yet.");
  return {};
}

}  // namespace

void delete_execution(Api& api, Call call) {
  auto run = own_run(api, call);
  if (!run) return api.fail(call, run.error());
  if (auto unneeded = check_unneeded(api, *run); !unneeded) return api.fail(call, unneeded.error());
  AuditLine line = api.audit(call, "execution.delete", run->id.text());
  line.details = Value::object({{"workflow_id", run->workflow.text()},
                                {"status", name_of(run->status)},
                                {"started_at", to_rfc3339(run->started_at)}});
  if (auto removed = api.retention().remove_run(run->id, line); !removed)
    return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
