#include "core/graph/orders.h"

#include <charconv>

#include "base/json.h"
#include "base/uuid.h"
#include "core/graph/advance.h"
#include "core/graph/undo.h"

namespace fermata::graph {

namespace {

const Node& node_of(const Run& run, TokenId id) {
  return run.definition->nodes[run.tokens.at(id).node];
}

/// The payload when the parameter is not given.
Value input_of(const Token& token) {
  const Value* input = token.parameters.find("input");
  return input ? *input : token.payload;
}

bool is_kept(const Token& token) { return token.parameters.get("on_parent_end") == Value("keep"); }

Value retry_of(const RetryPolicy& policy) {
  Value on = Value::array();
  for (const std::string& code : policy.retry_on) on.push(code);
  return Value::object({{"max_attempts", policy.max_attempts},
                        {"backoff_ms", policy.backoff_ms},
                        {"multiplier", policy.multiplier},
                        {"max_backoff_ms", policy.max_backoff_ms},
                        {"jitter", policy.jitter},
                        {"retry_on", on}});
}

void order_job(Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  const Node& node = node_of(run, id);
  OrderJob order;
  order.job = job_id_of(run, id);
  order.account = run.account;
  order.run = run.id;
  order.workflow = run.workflow;
  order.definition = run.definition->hash;
  order.step = node.id;
  order.idempotency_key = idempotency_key_of(run, activation_of(run, id));
  order.contact_id = run.contact_id;
  order.started_by = run.started_by;
  order.request = token.parameters;
  order.request.set("input", input_of(token));
  // The node's own retry and timeout are the job's (G-34).
  if (node.retry.given) order.request.set("retry", retry_of(node.retry));
  if (node.timeout_ms) order.request.set("run_timeout_ms", *node.timeout_ms);
  step.post(std::move(order));
}

void order_child(Step& step, TokenId id, bool detached) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  OrderRun order;
  order.run = child_id_of(run, id);
  order.account = run.account;
  order.workflow = WorkflowId(to_text(token.parameters.get("workflow_id")));
  order.version = static_cast<uint32_t>(integer_of(token.parameters.get("version")).value_or(0));
  order.input = input_of(token);
  order.contact_id = run.contact_id;
  order.parent = run.id;
  if (!detached) order.parent_ref = std::to_string(id);
  order.depth = run.depth + 1;
  order.on_behalf_of = run.started_by;
  order.key = RunId(idempotency_key_of(run, activation_of(run, id)));
  if (auto trace = passed_on(run.trace, activation_span(run.id, id)))
    order.trace = {traceparent_of(*trace), trace->state, run.trace.recorded};
  step.post(std::move(order));
}

void order_signal(Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  SendSignal order;
  if (const Value* label = token.parameters.find("label")) {
    auto [key, value] = label_in(to_text(*label)).value_or(Label{});
    order.label_key = std::move(key);
    order.label_value = std::move(value);
  } else {
    order.to = RunId(to_text(token.parameters.get("execution_id")));
  }
  order.account = run.account;
  order.name = to_text(token.parameters.get("name"));
  const Value* payload = token.parameters.find("payload");
  order.payload = payload ? *payload : token.payload;
  order.signal_id = idempotency_key_of(run, activation_of(run, id));
  order.from = run.id;
  order.ref = std::to_string(id);
  step.post(std::move(order));
}

/// Begins the activation; null when the parameters cannot be recorded.
bool begin_order(Step& step, TokenId id, Value parameters) {
  if (auto deep = too_deep(step, parameters)) {
    fail_node(step, id, *std::move(deep));
    return false;
  }
  Activation activation = activation_of(step.run, id);
  step.touch(activation.lineage);
  step.emit(NodeStarted{activation, std::move(parameters)});
  return true;
}

std::string_view job_error_code(std::string_view state) {
  if (state == "DENIED") return "job_denied";
  if (state == "TIMEOUT") return "job_timed_out";
  if (state == "CANCELLED") return "job_cancelled";
  if (state == "OUTPUT_QUARANTINED") return "job_quarantined";
  return "job_failed";
}

std::string_view child_error_code(std::string_view status) {
  if (status == "cancelled") return "child_cancelled";
  if (status == "timed_out") return "child_timed_out";
  return "child_failed";
}

std::string message_of(const Value& error, std::string otherwise) {
  const Value& message = error.get("message");
  return message.is_string() ? std::string(message.as_string()) : std::move(otherwise);
}

}  // namespace

JobId job_id_of(const Run& run, TokenId id) {
  return JobId(run.id.text() + "." + std::to_string(id));
}

RunId child_id_of(const Run& run, TokenId id) {
  return RunId(uuid_v5(run.id.text() + "/child/" + std::to_string(id)));
}

std::optional<TokenId> token_of_order(const Run& run, std::string_view ref, Parked parked) {
  TokenId id = 0;
  auto [end, error] = std::from_chars(ref.data(), ref.data() + ref.size(), id);
  if (error != std::errc() || end != ref.data() + ref.size()) return std::nullopt;
  auto found = run.tokens.find(id);
  if (found == run.tokens.end() || found->second.parked != parked) return std::nullopt;
  return id;
}

void start_job(Step& step, TokenId id, Value parameters) {
  auto undo = undo_when_ordered(step, id);
  if (!undo) return fail_node(step, id, std::move(undo).error());
  if (undo->is_object()) parameters.set("compensation", *std::move(undo));
  if (!begin_order(step, id, std::move(parameters))) return;
  Activation activation = activation_of(step.run, id);
  order_job(step, id);
  step.emit(
      JobRequested{activation, job_id_of(step.run, id), idempotency_key_of(step.run, activation)});
}

void start_child(Step& step, TokenId id, Value parameters) {
  uint32_t most = step.given.limits.child_depth_max;
  if (step.run.depth >= most) {
    return fail_node(step, id,
                     {"child_depth_exceeded",
                      "executions may start one another " + std::to_string(most) +
                          " levels deep; setting graph_child_depth_max",
                      {}});
  }
  if (!begin_order(step, id, std::move(parameters))) return;
  const Token& token = step.run.tokens.at(id);
  bool detached = token.parameters.get("wait") == Value(false);
  bool kept = is_kept(token);
  RunId child = child_id_of(step.run, id);
  order_child(step, id, detached);
  step.emit(ChildRequested{activation_of(step.run, id), child, detached, kept});
  if (!detached) return;
  finish_node(
      step, id,
      {Value::object({{"execution_id", child.text()}, {"status", "running"}, {"output", Value()}}),
       {},
       Route::all()});
}

std::optional<Label> label_in(std::string_view text) {
  size_t middle = text.find('=');
  if (middle == 0 || middle == std::string_view::npos) return std::nullopt;
  return Label{std::string(text.substr(0, middle)), std::string(text.substr(middle + 1))};
}

void send_signal(Step& step, TokenId id, Value parameters) {
  if (const Value* label = parameters.find("label"); label && !label_in(to_text(*label)))
    return fail_node(
        step, id,
        {"parameter_invalid", "the label `" + to_text(*label) + "` is not key=value", {}});
  if (!begin_order(step, id, std::move(parameters))) return;
  const Token& token = step.run.tokens.at(id);
  const Value* named = token.parameters.find("execution_id");
  RunId to(named ? to_text(*named) : "");
  std::string name = to_text(token.parameters.get("name"));
  order_signal(step, id);
  step.emit(SignalSent{activation_of(step.run, id), std::move(to), std::move(name)});
}

void take_job_end(Step& step, TokenId id, const SettleJob& end) {
  Value output = Value::object({{"job_id", end.job.text()},
                                {"state", end.state},
                                {"output", end.output},
                                {"worker_id", end.worker},
                                {"attempts", end.attempts}});
  if (auto work = saga::work_of(end)) {
    complete_undo(step, id, output, *work);
    saga::record(step, *std::move(work));
  }
  if (end.state == "SUCCEEDED") return finish_node(step, id, {std::move(output), {}, Route::all()});
  NodeError error{
      std::string(job_error_code(end.state)),
      message_of(end.error, "the job ended as " + end.state),
      Value::object(
          {{"job_id", end.job.text()}, {"state", end.state}, {"attempts", end.attempts}})};
  if (!end.error.is_null()) error.details.set("cause", end.error);
  if (!end.fatal) return fail_node(step, id, std::move(error));
  // Fatal passes by the error policy: nothing of the run may go on (J-73).
  const Node& node = node_of(step.run, id);
  saga::request(step, "failed_fatal", error.message, "job " + end.job.text());
  fail_run(step, error_object(error, node, end.attempts));
}

void take_child_end(Step& step, TokenId id, const SettleChild& end) {
  if (!end.refusal.empty())
    return fail_node(step, id, {end.refusal, message_of(end.error, "not started"), {}});
  if (end.status == "completed") {
    return finish_node(
        step, id,
        {Value::object(
             {{"execution_id", end.child.text()}, {"status", end.status}, {"output", end.output}}),
         {},
         Route::all()});
  }
  NodeError error{std::string(child_error_code(end.status)),
                  message_of(end.error, "the execution ended as " + end.status),
                  Value::object({{"execution_id", end.child.text()}, {"status", end.status}})};
  if (!end.error.is_null()) error.details.set("cause", end.error);
  fail_node(step, id, std::move(error));
}

void take_signal_fate(Step& step, TokenId id, const SettleSignal& fate) {
  if (!fate.delivered) return fail_node(step, id, {"signal_target_missing", fate.reason, {}});
  Value output = Value::object({{"delivered", true}});
  if (fate.executions) output.set("executions", *fate.executions);
  finish_node(step, id, {std::move(output), {}, Route::all()});
}

void stop_order(Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  if (is_kept(token)) return;
  std::string reason = "execution " + run.id.text() + " no longer waits for it";
  if (token.parked == Parked::job)
    step.post(StopJob{job_id_of(run, id), std::move(reason)});
  else if (token.parked == Parked::child)
    step.post(StopRun{child_id_of(run, id), std::move(reason)});
}

void repeat_orders(Step& step) {
  for (const auto& [id, token] : step.run.tokens) {
    if (token.parked == Parked::job) order_job(step, id);
    if (token.parked == Parked::child) order_child(step, id, false);
    if (token.parked == Parked::sent) order_signal(step, id);
  }
}

}  // namespace fermata::graph
