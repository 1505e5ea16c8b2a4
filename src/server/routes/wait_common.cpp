#include <algorithm>

#include "core/run/wait_view.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

Failure<Error> no_such_wait(const std::string& what) {
  return fail(ErrorCode::wait_not_found, "There is no wait " + what + ".");
}

/// Answers with how the wait is now.
void answer_later(Api& api, const Call& call, const std::string& id, const WaitDone& done) {
  // The partition's thread must not wait for the disk.
  api.pool().submit_owed([&api, call, id, done] {
    auto found = api.reader().find_wait(id);
    if (!found) return api.fail(call, found.error());
    if (!*found) return api.fail(call, no_such_wait("`" + id + "`").value);
    done(api, call, **found);
  });
}

/// A refusal that says how the wait ended.
void refuse_later(Api& api, const Call& call, const std::string& id, const Error& error) {
  if (error.code != ErrorCode::wait_ended) return api.fail(call, error);
  api.pool().submit_owed([&api, call, id, error] {
    auto found = api.reader().find_wait(id);
    api.fail(call, found && *found ? wait_ended(**found).value : error);
  });
}

}  // namespace

Failure<Error> wait_ended(const WaitRecord& record) {
  const Wait& wait = record.wait;
  std::string by = wait.resumed_by.empty() ? "" : " by " + wait.resumed_by;
  return fail(ErrorCode::wait_ended,
              "The wait has ended: " + std::string(name_of(wait.status)) + by + ".");
}

Outcome<std::vector<WaitRecord>> waits_at_step(Api& api, const Call& call) {
  FERMATA_TRY(run, own_run(api, call));
  FERMATA_TRY(waits, api.reader().waits_of(run.id, call.variable(1)));
  if (waits.empty()) return no_such_wait("at step `" + call.variable(1) + "` of this execution");
  return waits;
}

Outcome<WaitRecord> chosen(const std::vector<WaitRecord>& waits,
                           const front::Occurrence& occurrence) {
  if (occurrence.number) {
    for (const WaitRecord& record : waits)
      if (record.wait.occurrence == *occurrence.number) return record;
    return no_such_wait("with occurrence " + std::to_string(*occurrence.number));
  }
  const WaitRecord* pending = nullptr;
  size_t count = 0;
  for (const WaitRecord& record : waits) {
    if (!is_pending(record.wait.status)) continue;
    pending = &record;
    ++count;
  }
  if (count > 1)
    return fail(ErrorCode::ambiguous_wait,
                std::to_string(count) + " waits are pending at this step.");
  return pending ? *pending : waits.back();
}

Outcome<WaitRecord> own_wait(Api& api, const Call& call) {
  FERMATA_TRY(found, api.reader().find_wait(call.variable(0)));
  if (!found || found->account != call.who.account)
    return no_such_wait("`" + call.variable(0) + "`");
  return *std::move(found);
}

void send_to_wait(Api& api, Call call, const WaitRecord& record, CommandBody body, WaitDone done) {
  Command command{record.run, std::move(body), call.who.actor};
  std::string id = record.wait.id;
  Call spare = call;
  bool taken = api.intake().submit(
      std::move(command),
      [&api, call = std::move(call), id, done = std::move(done)](Outcome<RunSummary> outcome) {
        if (!outcome) return refuse_later(api, call, id, outcome.error());
        answer_later(api, call, id, done);
      });
  if (taken) return;
  bool stopping = api.stopping();
  api.fail(spare, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                   stopping ? "The server is stopping." : "The engine's queue is full.",
                   {}});
}

void cancel_chosen(Api& api, Call call, const WaitRecord& record, std::string reason) {
  auto told = [](Api&, const Call& asked, const WaitRecord& wait) {
    asked.send_json(
        200, Value::object(
                 {{"success", true}, {"id", wait.wait.id}, {"status", name_of(wait.wait.status)}}));
  };
  if (record.wait.status == WaitStatus::cancelled) return told(api, call, record);
  if (!is_pending(record.wait.status)) return api.fail(call, wait_ended(record).value);
  send_to_wait(api, std::move(call), record, CancelWait{record.wait.id, std::move(reason)}, told);
}

void resume_chosen(Api& api, Call call, const WaitRecord& record, ResumeWait resume) {
  bool stands = is_pending(record.wait.status) || record.wait.parked;
  if (!stands) return api.fail(call, wait_ended(record).value);
  resume.wait = record.wait.id;
  send_to_wait(api, std::move(call), record, std::move(resume),
               [](Api& told, const Call& asked, const WaitRecord& wait) {
                 asked.send_json(200, view::wait(wait, told.now()));
               });
}

}  // namespace fermata::server::routes
