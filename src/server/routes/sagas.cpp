#include "base/uuid.h"
#include "core/run/restart.h"
#include "core/run/view.h"
#include "core/saga/saga.h"
#include "front/fields.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/saga_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<bool> exists(Api& api, const RunId& id) {
  FERMATA_TRY(stored, api.reader().find(id));
  return stored.version > 0;
}

Outcome<Value> saga_value(Api& api, const Call& call) {
  RunId id(call.variable(0));
  FERMATA_TRY(own, own_state(api, call.who.account, id));
  Value out = saga::view(own.run);
  if (!own.run.finished()) return out;
  FERMATA_TRY(undone, exists(api, rollback_run_of(id)));
  if (undone) out.set("undone_by", rollback_run_of(id).text());
  return out;
}

Outcome<Value> saga_page(Api& api, const Call& call) {
  RunFilter filter;
  filter.account = call.who.account;
  filter.sagas = {SagaStatus::open, SagaStatus::rolling_back, SagaStatus::parked,
                  SagaStatus::rolled_back, SagaStatus::closed};
  if (const std::string* wanted = front::find_value(call.query, "status")) {
    auto status = saga_status_of(*wanted);
    if (!status || *status == SagaStatus::none)
      return front::bad_query("status",
                              "open, rolling_back, parked, rolled_back or closed is expected.");
    filter.sagas = {*status};
    // Those under way are found by the status of their run.
    if (*status == SagaStatus::rolling_back) filter.statuses = {RunStatus::running};
    if (*status == SagaStatus::parked) filter.statuses = {RunStatus::waiting};
  }
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const RunSummary& summary : page.items) {
    Value item = view::list_item(summary);
    item.set("saga", name_of(summary.saga));
    items.push(std::move(item));
  }
  return page_value(std::move(items), page.next_cursor);
}

void answer_value(Api& api, const Call& call, Outcome<Value> value) {
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

/// What an ended run has left is undone by a run of its own.
void roll_back_ended(Api& api, Call call, const std::string& reason) {
  auto own = own_history(api, call);
  if (!own) return api.fail(call, own.error());
  auto seed = restart::rollback({own->run.summary, own->run.history, own->definitions});
  if (!seed) return api.fail(call, seed.error());
  const RunSummary& ended = own->run.summary;
  StartRun start;
  start.account = ended.account;
  start.workflow = WorkflowId(saga::saga_workflow);
  start.definition = saga::saga_definition();
  start.labels = ended.labels;
  start.contact_id = ended.contact_id;
  start.input = Value::object({{"reason", reason}});
  start.trigger = Value::object();
  start.trigger_kind = "rollback";
  start.origin = {ended.id, "rollback"};
  // However often it is asked for, it is one request.
  start.request_hash = "rollback of " + ended.id.text();
  start.seed = std::move(seed->state);
  Command command{rollback_run_of(ended.id), std::move(start), call.who.actor};
  submit(
      api, std::move(call), std::move(command),
      [](Api&, const Call& asked, const RunSummary& summary) { asked.send(created_run(summary)); });
}

std::optional<uint32_t> entry_number(const Call& call) { return version_number(call.variable(1)); }

void resolve_letters(Api& api, const Call& call, const JobId& job, Resolution resolution) {
  DeadLetterFilter filter;
  filter.account = call.who.account;
  filter.job = job;
  auto page = api.dead_letters().dead_letters(filter, 10, "");
  if (!page) return;
  // Whoever was faster has done it.
  for (const DeadLetterEntry& entry : page->items)
    (void)api.dead_letters().resolve_dead_letter(
        {entry.letter.id, resolution, call.who.actor, api.now()},
        api.audit(call, "dlq.resolve", entry.letter.id));
}

}  // namespace

RunId rollback_run_of(const RunId& run) {
  return RunId(uuid_v5("fermata.saga.rollback\n" + run.text()));
}

Outcome<void> refuse_rolled_back(Api& api, const RunId& run) {
  FERMATA_TRY(undone, exists(api, rollback_run_of(run)));
  if (!undone) return {};
  return fail(ErrorCode::run_rolled_back, "What the execution had done is undone by execution " +
                                              rollback_run_of(run).text() + ".");
}

void get_saga(Api& api, Call call) { answer_value(api, call, saga_value(api, call)); }
void list_sagas(Api& api, Call call) { answer_value(api, call, saga_page(api, call)); }

void rollback_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto own = own_run(api, call);
  if (!own) return api.fail(call, own.error());
  if (is_terminal(own->status)) return roll_back_ended(api, std::move(call), reason);
  submit_and_answer(api, std::move(call), SagaOrder{RollBack{std::move(reason)}});
}

void decide_undo(Api& api, Call call, const RunId& run, uint32_t seq, SagaOrder order,
                 Resolution resolution) {
  auto own = own_state(api, call.who.account, run);
  if (!own) return api.fail(call, own.error());
  const SagaEntry* entry = own->run.saga.find(seq);
  JobId stood_for = entry ? entry->undo_job : JobId();
  Command command{run, std::move(order), call.who.actor};
  submit(api, std::move(call), std::move(command),
         [stood_for, resolution, run](Api& told, const Call& asked, const RunSummary&) {
           // The partition's thread must not wait for the disk.
           told.pool().submit_owed([&told, asked, stood_for, resolution, run] {
             if (!stood_for.empty()) resolve_letters(told, asked, stood_for, resolution);
             auto now = own_state(told, asked.who.account, run);
             if (!now) return told.fail(asked, now.error());
             asked.send_json(200, saga::view(now->run));
           });
         });
}

void retry_undo(Api& api, Call call) {
  front::Fields fields(call.body);
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  uint32_t seq = entry_number(call).value_or(0);
  RunId run(call.variable(0));
  decide_undo(api, std::move(call), run, seq, SagaOrder{RetryUndo{seq}}, Resolution::retried);
}

void skip_undo(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (reason.empty()) fields.wrong("reason", "Why it is not undone.");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  uint32_t seq = entry_number(call).value_or(0);
  RunId run(call.variable(0));
  decide_undo(api, std::move(call), run, seq, SagaOrder{SkipUndo{seq, std::move(reason)}},
              Resolution::discarded);
}

void close_saga(Api& api, Call call) {
  front::Fields fields(call.body);
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  submit_and_answer(api, std::move(call), SagaOrder{CloseSaga{}});
}

}  // namespace fermata::server::routes
