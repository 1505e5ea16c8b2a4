#include "core/run/script_asks.h"

#include "base/overloaded.h"
#include "core/flow/durable/awaitable_errors.h"
#include "core/run/approval_events.h"

namespace fermata {

namespace {

std::string id_of(const Run& run, uint32_t number) {
  return run.id.text() + "." + std::to_string(number);
}

/// The same on every attempt, and in a run that retries this one.
std::string key_of(const Run& run, uint32_t number, const Value& options) {
  const Value& given = options.get("idempotency_key");
  if (given.is_string()) return std::string(given.as_string());
  return run.run_key.text() + "." + std::to_string(number);
}

class Asks {
 public:
  Asks(Step& step, const flow::Place& place) : step_(step), run_(step.run), place_(place) {}

  void operator()(flow::SubmitTask& task) {
    note(FlowNote::task_started, task.number,
         {{"job_id", id_of(run_, task.number)}, {"name", task.name}});
    OrderJob order;
    order.job = JobId(id_of(run_, task.number));
    order.account = run_.account;
    order.run = run_.id;
    order.workflow = run_.workflow;
    order.definition = run_.definition->hash;
    order.step = node_name(place_);
    order.idempotency_key = key_of(run_, task.number, task.options);
    order.contact_id = run_.contact_id;
    order.started_by = run_.started_by;
    order.request = request_of(task);
    step_.post(std::move(order));
  }
  void operator()(const flow::ArmTimer& timer) {
    note(FlowNote::timer_armed, timer.number, {{"due", to_rfc3339(timer.due)}});
  }
  void operator()(const flow::DisarmTimer& timer) {
    note(FlowNote::timer_cancelled, timer.number, {});
  }
  void operator()(flow::StartChild& child) {
    note(FlowNote::child_started, child.number,
         {{"execution_id", id_of(run_, child.number)}, {"workflow_id", child.workflow}});
    if (run_.depth + 1 > step_.given.limits.child_depth_max) return refuse_child(child);
    OrderRun order;
    order.run = RunId(id_of(run_, child.number));
    order.account = run_.account;
    order.workflow = WorkflowId(child.workflow);
    const Value& version = child.options.get("version");
    if (version.is_integer()) order.version = static_cast<uint32_t>(version.as_integer());
    order.input = std::move(child.input);
    order.labels = child.options.get("labels");
    order.contact_id = run_.contact_id;
    const Value& timeout = child.options.get("timeout_ms");
    if (timeout.is_integer()) order.timeout_ms = timeout.as_integer();
    order.parent = run_.id;
    if (!child.detached) order.parent_ref = std::to_string(child.number);
    order.depth = run_.depth + 1;
    order.on_behalf_of = run_.started_by;
    RunId key = child_key(child);
    if (key != order.run) order.key = std::move(key);
    step_.post(std::move(order));
  }
  void operator()(flow::SendSignal& send) {
    note(FlowNote::signal_sent, send.number, {{"execution_id", send.run}, {"name", send.name}});
    SendSignal order;
    order.to = RunId(send.run);
    order.account = run_.account;
    order.name = std::move(send.name);
    order.payload = std::move(send.payload);
    order.signal_id = key_of(run_, send.number, Value());
    order.from = run_.id;
    order.ref = std::to_string(send.number);
    step_.post(std::move(order));
  }
  void operator()(const flow::OpenApproval& approval) {
    step_.emit(ApprovalRequested{{}, approval_of(run_, approval, place_, step_.at)});
  }
  void operator()(const flow::CancelWork& cancelled) {
    note(FlowNote::work_cancelled, cancelled.number,
         {{"kind", flow::kind_name(cancelled.kind)}, {"reason", cancelled.reason}});
    std::string id = id_of(run_, cancelled.number);
    if (cancelled.kind == flow::AwaitableKind::task)
      step_.post(StopJob{JobId(id), cancelled.reason});
    if (cancelled.kind == flow::AwaitableKind::child)
      step_.post(StopRun{RunId(id), cancelled.reason});
  }
  void operator()(const flow::TimerFired&) {}  // an event of its own
  void operator()(const flow::SignalTaken& taken) {
    note(FlowNote::signal_taken, taken.number, {{"name", taken.name}});
  }
  void operator()(const flow::Logged& line) {
    Value about = Value::object({{"level", line.level}, {"message", line.message}});
    if (line.data) about.set("data", *line.data);
    emit(FlowNote::logged, 0, std::move(about));
    step_.effect(WriteLog{run_.id, line.level, line.message});
  }
  void operator()(const flow::LogsDropped& dropped) {
    warn("log-lines", std::to_string(dropped.lines) + " log lines were dropped");
  }
  void operator()(const flow::Progressed& progress) {
    emit(FlowNote::progressed, 0,
         Value::object({{"planned", progress.planned}, {"done", progress.done}}));
  }
  void operator()(const flow::Labelled& label) {
    emit(FlowNote::labelled, 0, Value::object({{"key", label.key}, {"value", label.value}}));
  }
  void operator()(const flow::Warned& warning) { warn(warning.rule, warning.message); }
  void operator()(const flow::FibersDropped& dropped) {
    warn("fibers-dropped", std::to_string(dropped.fibers) + " fibers had not ended");
  }

 private:
  /// A key that the script gives belongs to the workflow it starts: the effects of two workflows
  /// are two effects. Without one, the child of a run that is not retried is known by its own id.
  RunId child_key(const flow::StartChild& child) const {
    std::string key = key_of(run_, child.number, child.options);
    if (!child.options.get("idempotency_key").is_string()) return RunId(std::move(key));
    return RunId(child.workflow + "/" + key);
  }
  /// A job's own fields, in the words of the jobs API.
  static Value request_of(flow::SubmitTask& task) {
    Value request = task.options.is_object() ? task.options : Value::object();
    for (std::string_view own : {"idempotency_key", "on_parent_end"}) request.erase(own);
    if (const Value* timeout = request.find("timeout_ms")) {
      request.set("run_timeout_ms", Value(*timeout));
      request.erase("timeout_ms");
    }
    if (const Value* deadline = request.find("deadline_ms")) {
      Value budget = request.get("budget").is_object() ? request.get("budget") : Value::object();
      budget.set("deadline_ms", Value(*deadline));
      request.set("budget", std::move(budget));
      request.erase("deadline_ms");
    }
    request.set("topic", task.name);
    request.set("input", std::move(task.input));
    return request;
  }
  void refuse_child(const flow::StartChild& child) {
    if (child.detached) return;
    std::string most = std::to_string(step_.given.limits.child_depth_max);
    Value cause =
        Value::object({{"code", "child_depth_exceeded"},
                       {"message", "runs start one another more than " + most + " levels deep"}});
    step_.emit(FlowSettled{child.number, flow::AwaitableKind::child, flow::AwaitableStatus::failed,
                           flow::child_error(child.workflow, std::move(cause), false),
                           Value::object({{"name", child.workflow}})});
    tell_asks(step_, std::exchange(run_.script_asks, {}));
  }
  void warn(std::string_view rule, const std::string& message) {
    emit(FlowNote::warned, 0, Value::object({{"rule", rule}, {"message", message}}));
  }
  using Fields = std::initializer_list<std::pair<std::string_view, Value>>;
  void note(FlowNote what, uint32_t number, Fields fields) {
    emit(what, number, Value::object(fields));
  }
  void emit(FlowNote what, uint32_t number, Value about) {
    if (place_.line > 0) about.set("node", node_name(place_));
    step_.emit(FlowNoted{what, number, std::move(about)});
  }

  Step& step_;
  Run& run_;
  const flow::Place& place_;
};

}  // namespace

std::string node_name(const flow::Place& place) {
  return (place.function.empty() ? "main" : place.function) + ":" + std::to_string(place.line);
}

Value about(const flow::Awaitable& record) {
  Value out = Value::object();
  if (!record.name.empty()) out.set("name", record.name);
  if (record.place.line > 0) out.set("node", node_name(record.place));
  return out;
}

void tell_asks(Step& step, std::vector<flow::Outgoing> asks) {
  for (flow::Outgoing& ask : asks) {
    Asks asked(step, ask.place);
    std::visit(asked, ask.what);
  }
}

}  // namespace fermata
