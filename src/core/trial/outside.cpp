#include "base/json.h"
#include "core/job/job.h"
#include "core/job/report.h"
#include "core/job/request_read.h"
#include "core/job/undo.h"
#include "core/trial/trial.h"

/// What answers the runs of a trial: servers, workers, people, and the runs themselves.
namespace fermata::trial {

namespace {

constexpr Duration restart_time{2'000};

CallAnswer answer_of(const CallTicket& ticket, const Manner& manner, bool fails) {
  CallAnswer answer;
  answer.ticket = ticket;
  answer.status = fails ? 503 : manner.status;
  answer.status_text = fails ? "Service Unavailable" : "";
  answer.headers = {{"content-type", "application/json"}};
  Value body = manner.answer.is_null() ? Value::object() : manner.answer;
  answer.body = fails ? R"({"error":"simulated"})" : to_json(body);
  return answer;
}

/// As a wait hears it (W-54): whatever it listens to, the signal is about it.
SignalRef signal_for(const WaitRecord& record, const Listener& listener, Value data, Instant at) {
  auto signal = std::make_shared<Signal>();
  signal->account = record.account;
  signal->id = "simulated-" + record.wait.id;
  signal->type = listener.event_type;
  signal->contact_id = record.contact_id;
  if (listener.scope == "execution") signal->run = record.run;
  signal->correlation_id = listener.correlation_id;
  signal->phone = listener.phone;
  signal->data = std::move(data);
  signal->received_at = at;
  return signal;
}

Value told(const Error& error) {
  return Value::object({{"code", name_of(error.code)}, {"message", error.message}});
}

}  // namespace

void Trial::place(const Life& life, const PlaceCall& call) {
  if (plan_.faults.restart > 0 && dice_.chance(plan_.faults.restart)) {
    put(now_ + restart_time, {life.run.id, RecoverCalls{{call.ticket.token}}, Cause::call});
    return;
  }
  static const Manner at_once;
  const Manner* manner = nullptr;
  auto token = life.run.tokens.find(call.ticket.token);
  if (token != life.run.tokens.end() && token->second.node < life.run.definition->nodes.size()) {
    const graph::Node& node = life.run.definition->nodes[token->second.node];
    manner = manner_of(plan_.calls, {node.id, node.name});
  }
  if (!manner) manner = manner_of(plan_.calls, {});
  if (!manner) manner = &at_once;
  Instant at = after(*manner);
  CallAnswer answer = answer_of(call.ticket, *manner, dice_.chance(manner->failure));
  Instant deadline = now_ + Duration{call.request.timeout_ms};
  if (call.request.timeout_ms > 0 && at > deadline) {
    at = deadline;
    answer.error = "timeout";
    answer.message = "no answer within " + std::to_string(call.request.timeout_ms) + " ms";
  }
  answer.duration_ms = at.ms - now_.ms;
  put_answer(at, {life.run.id, AnswerCall{std::move(answer)}, Cause::call});
}

/// Sends what a wait listens to, if the plan has somebody who does.
void Trial::hear(const WaitRecord& record) {
  const Wait& wait = record.wait;
  if (!wait.is_for_event() || !is_pending(wait.status)) return;
  if (heard_.contains(wait.id)) return;
  for (const Listener& listener : wait.listeners) {
    const Manner* manner = manner_of(plan_.signals, {listener.event_type});
    if (!manner) continue;
    heard_.insert(wait.id);
    if (dice_.chance(manner->failure)) return;
    Instant at = after(*manner);
    if (wait.listens()) {
      SignalRef signal = signal_for(record, listener, manner->answer, at);
      put_answer(at, {record.run, OfferSignal{signal, wait.id}, Cause::signal});
    } else {
      SignalRun signal{listener.event_type, manner->answer, "simulated-" + wait.id};
      put_answer(at, {record.run, std::move(signal), Cause::signal});
    }
    return;
  }
}

void Trial::ask(const ApprovalRecord& record) {
  const Approval& approval = record.approval;
  if (approval.status != ApprovalStatus::pending || !heard_.insert(approval.id).second) return;
  AnswerApproval answer;
  answer.approval = approval.id;
  answer.vote.approve = !dice_.chance(plan_.approvals.failure);
  answer.vote.hash = approval.hash;
  answer.vote.comment = "simulated";
  answer.vote.role = "root";
  answer.vote.may_be_own = true;
  put_answer(after(plan_.approvals), {record.run, std::move(answer), Cause::approval});
}

void Trial::post(const RunId& from, Post post) {
  if (auto* order_job = std::get_if<OrderJob>(&post)) return order(*order_job);
  if (auto* stop_job = std::get_if<StopJob>(&post)) return stop(*stop_job, from);
  if (auto* order_run = std::get_if<OrderRun>(&post)) return start(std::move(*order_run));
  if (auto* signal = std::get_if<SendSignal>(&post)) return send(std::move(*signal));
  if (auto* stop_run = std::get_if<StopRun>(&post)) {
    put(now_, {stop_run->run, CancelRun{std::move(stop_run->reason)}});
  } else if (auto* report = std::get_if<ReportRun>(&post)) {
    SettleChild settle{std::move(report->ref),    std::move(report->child),
                       std::move(report->status), std::move(report->output),
                       std::move(report->error),  ""};
    put(now_, {report->parent, std::move(settle), Cause::child});
  }
}

/// One worker does the job in one attempt; whether it fails for good is drawn.
void Trial::order(const OrderJob& order) {
  SettleJob settle;
  settle.job = order.job;
  settle.step = order.step;
  settle.attempts = 1;
  auto read = job::read_order(order, plan_.job_limits);
  if (!read) {
    settle.state = name_of(job::State::failed);
    settle.error = told(read.error());
    put(now_, {order.run, std::move(settle), Cause::job});
    return;
  }
  static const Manner at_once;
  std::string_view topic = read->request.topic;
  std::string_view bare = topic.starts_with("job.") ? topic.substr(4) : topic;
  const Manner* manner = manner_of(plan_.jobs, {topic, bare});
  if (!manner) manner = &at_once;
  job::Job done;
  done.id = order.job;
  done.request = std::move(read->request);
  done.request.parent_job = order.undoes;
  bool fails = dice_.chance(manner->failure);
  settle.state = name_of(fails ? job::State::failed : job::State::succeeded);
  settle.worker = "simulated";
  settle.work_done = !fails;
  if (fails)
    settle.error = job::make_error("simulated", "the worker failed, as the plan has it");
  else
    settle.output = manner->answer;
  if (settle.work_done && order.undoes.empty()) settle.undo = job::undo_request(done);
  settle.input = done.request.input.value;
  auto at = put(after(*manner), {order.run, std::move(settle), Cause::job});
  jobs_.insert_or_assign(order.job, at->first);
}

void Trial::stop(const StopJob& stop, const RunId& run) {
  if (auto found = jobs_.find(stop.job); found != jobs_.end()) {
    agenda_.erase(found->second);
    jobs_.erase(found);
  }
  if (stop.awaited) put(now_, {run, SagaOrder{TellReturned{stop.job}}, Cause::job});
}

void Trial::start(OrderRun order) {
  auto found = plan_.workflows && lives_.size() < plan_.runs_max
                   ? plan_.workflows(order.workflow, order.version)
                   : Outcome<FoundWorkflow>(fail(ErrorCode::workflow_not_found,
                                                 "there is no workflow " + order.workflow.text()));
  if (!found) {
    if (order.parent_ref.empty()) return;
    SettleChild refused{order.parent_ref,
                        order.run,
                        "",
                        {},
                        told(found.error()),
                        std::string(name_of(found.error().code))};
    put(now_, {order.parent, std::move(refused), Cause::child});
    return;
  }
  StartRun start;
  start.account = order.account;
  start.workflow = order.workflow;
  start.workflow_version = found->version;
  start.definition = std::move(found->definition);
  start.trigger = order.input;
  start.input = std::move(order.input);
  start.trigger_kind = "subworkflow";
  start.labels = std::move(order.labels);
  start.contact_id = std::move(order.contact_id);
  start.timeout_ms = order.timeout_ms;
  start.parent = order.parent;
  start.parent_ref = std::move(order.parent_ref);
  start.depth = order.depth;
  start.on_behalf_of = std::move(order.on_behalf_of);
  start.key = std::move(order.key);
  lives_[order.run].run.id = order.run;
  put(now_, {order.run, std::move(start), Cause::child});
}

void Trial::send(SendSignal send) {
  SignalRun signal{send.name, send.payload, send.signal_id};
  if (send.label_key.empty()) {
    put(now_, {send.to, std::move(signal), Cause::signal, std::move(send)});
    return;
  }
  uint64_t reached = 0;
  for (const auto& [id, life] : lives_) {
    bool has_it = life.run.labels.get(send.label_key) == Value(send.label_value);
    if (id == send.from || !has_it || life.run.finished()) continue;
    put(now_, {id, signal, Cause::signal});
    ++reached;
  }
  SettleSignal settle{send.ref, reached > 0, reached > 0 ? "" : "no execution has the label",
                      reached};
  put(now_, {send.from, std::move(settle)});
}

void Trial::answer_sender(const SendSignal& send, const Error* refusal) {
  SettleSignal settle{send.ref, refusal == nullptr, refusal ? refusal->message : ""};
  put(now_, {send.from, std::move(settle)});
}

}  // namespace fermata::trial
