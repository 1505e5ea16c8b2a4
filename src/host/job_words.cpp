#include "base/hash.h"
#include "base/overloaded.h"
#include "core/job/report.h"
#include "core/saga/saga.h"
#include "host/partition.h"

/// What jobs tell runs: how they ended, what came too late, and whose saga they are part of.
namespace fermata {

namespace {

Posted to_run(const RunId& run, const JobId& from, CommandBody body, Groups::Member group) {
  Item item{{run, std::move(body), "job " + from.text()}, {}};
  item.posted = true;
  return {std::move(item), group, std::nullopt};
}

Value blob_of(const job::Payload& payload) {
  if (!payload.in_blob) return {};
  return Value::object({{"sha256", payload.sha256}, {"bytes", payload.bytes}});
}

SettleJob end_of(job::JobEnded& ended) {
  SettleJob settle;
  settle.job = ended.job;
  settle.state = name_of(ended.state);
  settle.output = std::move(ended.output.value);
  settle.error = std::move(ended.error);
  settle.worker = ended.worker.text();
  settle.attempts = ended.attempts;
  settle.fatal = ended.fatal;
  settle.reason_code = std::move(ended.reason_code);
  settle.work_done = ended.work_done;
  settle.undo = std::move(ended.undo);
  settle.step = std::move(ended.step_id);
  settle.input_blob = blob_of(ended.input);
  settle.input = std::move(ended.input.value);
  settle.lease_until = ended.lease_until;
  settle.withheld = ended.withheld;
  return settle;
}

TellLateSuccess late_of(job::LateSuccessTold& told) {
  TellLateSuccess late;
  late.job = told.job;
  late.step = std::move(told.step_id);
  late.undo = std::move(told.undo);
  late.input_blob = blob_of(told.input);
  late.input = std::move(told.input.value);
  late.output = std::move(told.output.value);
  late.withheld = told.withheld;
  return late;
}

/// The saga of jobs outside a run: the first of them makes it, all others find it there (J-76).
StartRun saga_of(const job::JoinTold& join) {
  StartRun start;
  start.account = join.account;
  start.workflow = WorkflowId(saga::saga_workflow);
  start.definition = saga::saga_definition();
  start.input = Value::object();
  start.trigger = Value::object();
  start.trigger_kind = "saga";
  start.request_hash = sha256_hex("saga\n" + join.account.text() + "\n" + join.saga.text());
  start.on_behalf_of = join.submitter;
  return start;
}

}  // namespace

void Host::Partition::refuse_order(const RunId& run, const JobId& job, const Error& error,
                                   Groups::Member group) {
  SettleJob settle;
  settle.job = job;
  settle.state = name_of(job::State::failed);
  settle.error = job::make_error(name_of(error.code), error.message);
  posts_.push_back(to_run(run, job, std::move(settle), group));
}

void Host::Partition::tell_run(job::Record record, Groups::Member group) {
  auto tell = [&](const RunId& run, const JobId& job, CommandBody body) {
    posts_.push_back(to_run(run, job, std::move(body), group));
  };
  if (auto* ended = std::get_if<job::JobEnded>(&record)) {
    RunId run = ended->run;
    JobId job = ended->job;
    tell(run, job, end_of(*ended));
  } else if (auto* late = std::get_if<job::LateSuccessTold>(&record)) {
    RunId run = late->run;
    JobId job = late->job;
    tell(run, job, SagaOrder{late_of(*late)});
  } else if (const auto* returned = std::get_if<job::LeaseReturnedTold>(&record)) {
    tell(returned->run, returned->job, SagaOrder{TellReturned{returned->job}});
  } else if (const auto* withdrawn = std::get_if<job::WithdrawnTold>(&record)) {
    tell(withdrawn->run, withdrawn->job,
         SagaOrder{TellWithdrawn{withdrawn->job, withdrawn->step_id, withdrawn->reason}});
  } else if (const auto* join = std::get_if<job::JoinTold>(&record)) {
    tell(join->saga, join->job, saga_of(*join));
    tell(join->saga, join->job, SagaOrder{JoinSaga{join->account, join->job}});
  }
}

}  // namespace fermata
