#include "server/routes/bulk_wait.h"

#include "server/api.h"

namespace fermata::server::routes {
namespace {

CommandBody command_for(const BulkRecord& bulk, const std::string& id) {
  if (bulk.action == "cancel") return CancelWait{id, bulk.reason};
  // The configuration it has, under the zones of today.
  if (bulk.action == "recompute") return ChangeWait{id, {}, false};
  if (bulk.action == "hold") return HoldWaits{id, "operator"};
  if (bulk.action == "release") return ReleaseWaits{id, "operator"};
  ResumeWait resume;
  resume.wait = id;
  resume.reason = bulk.reason;
  const Value& branch = bulk.parameters.get("branch");
  if (branch.is_string()) resume.branch = branch.as_string();
  return resume;
}

/// True when the wait is already as the action would leave it.
bool is_so(const std::string& action, const Wait& wait) {
  if (action == "cancel") return wait.status == WaitStatus::cancelled;
  return action == "resume" && wait.resumed_by == "manual";
}

}  // namespace

void act_on_wait(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                 BulkDone done) {
  auto found = api.reader().find_wait(item);
  if (!found) return done(Failure{std::move(found).error()});
  if (!*found || (*found)->account != bulk.account)
    return done(fail(ErrorCode::wait_not_found, "There is no wait `" + item + "`."));
  if (repeated && is_so(bulk.action, (*found)->wait)) return done({});
  Command command{(*found)->run, command_for(bulk, item), bulk.actor};
  bool taken = api.intake().submit(std::move(command), [done](const Outcome<RunSummary>& outcome) {
    if (outcome) return done({});
    done(Failure{outcome.error()});
  });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace fermata::server::routes
