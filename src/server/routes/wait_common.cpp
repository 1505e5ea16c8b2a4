#include <algorithm>
#include <mutex>

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

front::Occurrence occurrence_in(front::Fields& fields) {
  front::Occurrence occurrence;
  const Value* given = fields.any("occurrence");
  if (given == nullptr || given->is_null()) return occurrence;
  occurrence.all = *given == Value("all");
  bool number = given->is_integer() && given->as_integer() > 0 && given->as_integer() <= UINT32_MAX;
  if (number) occurrence.number = static_cast<uint32_t>(given->as_integer());
  if (!number && !occurrence.all)
    fields.wrong("occurrence", "A whole number from 1 or `all` is expected.");
  return occurrence;
}

namespace {

/// What became of a command to several waits; the last one answers.
struct EachWait {
  EachWait(Call asked, std::string_view word) : call(std::move(asked)), counted(word) {}
  void settle(Api& api, const Outcome<RunSummary>& outcome) {
    std::unique_lock lock(mutex);
    if (outcome) ++done;
    bool ended = !outcome && outcome.error().code == ErrorCode::wait_ended;
    if (!outcome && !ended && !refusal) refusal = outcome.error();
    close(api, std::move(lock));
  }
  void close(Api& api, std::unique_lock<std::mutex> lock) {
    if (--open > 0) return;
    lock.unlock();
    if (done == 0 && refusal) return api.fail(call, *refusal);
    call.send_json(200, Value::object({{"success", true}, {counted, done}}));
  }
  Call call;
  std::string counted;
  std::mutex mutex;
  size_t open = 1, done = 0;
  std::optional<Error> refusal;
};

}  // namespace

void send_to_each(Api& api, const Call& call, const std::vector<WaitRecord>& waits,
                  std::string_view counted,
                  const std::function<CommandBody(const std::string&)>& body) {
  auto each = std::make_shared<EachWait>(call, counted);
  for (const WaitRecord& record : waits) {
    if (!is_pending(record.wait.status)) continue;
    {
      std::lock_guard lock(each->mutex);
      ++each->open;
    }
    bool taken = api.intake().submit(
        {record.run, body(record.wait.id), call.who.actor},
        [&api, each](const Outcome<RunSummary>& outcome) { each->settle(api, outcome); });
    if (!taken) each->settle(api, fail(ErrorCode::queue_full, "The engine's queue is full."));
  }
  each->close(api, std::unique_lock(each->mutex));
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
