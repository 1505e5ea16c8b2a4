#include "base/check.h"
#include "base/json.h"
#include "base/uuid.h"
#include "core/graph/advance.h"
#include "core/graph/approval.h"
#include "core/graph/event_wait.h"
#include "core/graph/wait_plan.h"
#include "core/run/wait_events.h"
#include "core/run/wait_gate.h"
#include "core/wait/criteria.h"

/// Nodes that park their token: waits and signal waits, and what wakes them.
namespace fermata::graph {

std::string timer_id_of(const Run& run, const Activation& activation) {
  return uuid_v5(run.id.text() + "/" + run.definition->nodes[activation.node].id + "/" +
                 std::to_string(activation.lineage.scope) + "." +
                 std::to_string(activation.lineage.item) + "/" + std::to_string(activation.visit));
}

Value suspend_output(Instant resume_at, const std::string& timer_id) {
  return Value::object({{"resume_at", to_rfc3339(resume_at)},
                        {"resume_at_ms", resume_at.ms},
                        {"timer_id", timer_id}});
}

namespace {

WaitOpened opening(const Activation& activation, const WaitPlan& plan, std::string timer_id) {
  return {activation, "timer",     plan.at,   std::move(timer_id),
          "",         plan.intent, plan.type, plan.config};
}

/// What the next step sees of a wait for an instant (W-47), beside when and by whom it went on.
void tell_wait(Value& output, const Step& step, TokenId id, Value event, const Value& branch) {
  auto found = step.run.waits.find({WaitSource::graph, id});
  if (found == step.run.waits.end()) return;
  const Wait& wait = found->second;
  bool for_signal = wait.is_for_event();
  output.set("timed_out", false);
  output.set("event", std::move(event));
  output.set("events", Value::array());
  output.set("branch", branch);
  output.set("waited_ms", (step.at - wait.reached_at).ms);
  output.set("occurrence", wait.occurrence);
  output.set("scheduled_at", wait.due && !for_signal ? Value(to_rfc3339(*wait.due)) : Value());
}

/// What ends a wait whose date leads to no instant to come: it has passed (R7), or the contact has
/// none.
struct DateEnd {
  waits::DateReaction reaction;
  size_t route = 0;  ///< of the branch it may take
  std::string_view by;
  std::string_view exit_reason;
  NodeError error;
};

DateEnd end_of(const WaitPlan& plan) {
  if (plan.missing) {
    Finding finding = missing_date(plan);
    return {*plan.missing,
            1,
            "missing_date",
            "contact_field_invalid",
            {"wait_invalid", finding.message,
             Value::object({{"code", finding.code}, {"path", finding.path}})}};
  }
  return {*plan.past,
          0,
          "past_date",
          "past_date",
          {"wait_invalid", "the date " + to_rfc3339(plan.at) + " is in the past",
           Value::object({{"code", "date_in_past"}})}};
}

/// The token leaves a wait that stands there as its date asks for.
void leave_by_date(Step& step, TokenId id, const WaitPlan& plan) {
  Activation activation = activation_of(step.run, id);
  const Node& node = step.run.definition->nodes[activation.node];
  DateEnd end = end_of(plan);
  Value output = suspend_output(plan.at, timer_id_of(step.run, activation));
  output.set("resumed_at", to_rfc3339(step.at));
  output.set("resumed_by", end.by);
  tell_wait(output, step, id, Value(), Value());
  std::vector<EdgeIndex> edges;
  if (end.reaction.action == waits::DateAction::proceed) edges = node.normal_out;
  if (end.reaction.action == waits::DateAction::branch && end.route < node.routes.size() &&
      node.routes[end.route] != no_edge) {
    edges = {node.routes[end.route]};
    output.set("branch", step.run.definition->edges[node.routes[end.route]].id);
  }
  step.touch(activation.lineage);
  if (end.reaction.action == waits::DateAction::fail)
    return fail_node(step, id, std::move(end.error));
  step.emit(WaitResumed{activation, std::string(end.by), std::move(output), edges, step.at, ""});
  if (end.reaction.action == waits::DateAction::exit)
    return exit_run(step, std::string(end.exit_reason));
  settle(step, activation.lineage);
}

/// The same of one that is reached now.
void pass_date(Step& step, TokenId id, const WaitPlan& plan, const std::string& timer_id) {
  Activation activation = activation_of(step.run, id);
  // No wait was opened when there never was a date to wait for.
  bool fails = plan.missing && plan.missing->action == waits::DateAction::fail;
  if (!fails) step.emit(opening(activation, plan, timer_id));
  leave_by_date(step, id, plan);
}

void resume_wait(Step& step, TokenId id) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  // What is tried again fires later than it was due (W-66).
  auto wait = step.run.waits.find({WaitSource::graph, id});
  bool known = wait != step.run.waits.end() && wait->second.due;
  Value output =
      suspend_output(known ? *wait->second.due : *token.due, timer_id_of(step.run, activation));
  output.set("resumed_at", to_rfc3339(step.at));
  output.set("resumed_by", "scheduler");
  tell_wait(output, step, id, Value(), Value());
  step.touch(activation.lineage);
  step.emit(
      WaitResumed{activation, "scheduler", std::move(output), node.normal_out, token.since, ""});
  settle(step, activation.lineage);
}

void take_signal(Step& step, TokenId id, const KeptSignal& signal) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  bool fresh = token.parked == Parked::ready || token.parked == Parked::start;
  Value output = Value::object(
      {{"payload", signal.payload}, {"received_at", to_rfc3339(signal.at)}, {"timed_out", false}});
  step.touch(activation.lineage);
  step.emit(WaitResumed{activation, "signal", std::move(output), node.normal_out,
                        fresh ? step.at : token.since, signal.id});
  settle(step, activation.lineage);
}

void time_out_signal_wait(Step& step, TokenId id) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  const Value& action = node.raw.get("on_timeout");
  if (action != Value("continue") && action != Value("branch"))
    return fail_node(step, id, {"timeout", "no signal came in time", {}});
  std::vector<EdgeIndex> edges = node.normal_out;
  if (action == Value("branch")) edges.clear();
  if (action == Value("branch") && !node.routes.empty() && node.routes[0] != no_edge)
    edges = {node.routes[0]};
  Value output =
      Value::object({{"payload", Value()}, {"received_at", Value()}, {"timed_out", true}});
  step.touch(activation.lineage);
  step.emit(WaitResumed{activation, "timeout", std::move(output), edges, token.since, ""});
  settle(step, activation.lineage);
}

/// Whether a signal may end the wait of the token: one that is held or cancelled hears nothing.
bool listens(const Run& run, TokenId id) {
  auto wait = run.waits.find({WaitSource::graph, id});
  return wait == run.waits.end() || (is_pending(wait->second.status) && wait->second.hold.empty());
}

void retry_node(Step& step, TokenId id) {
  Activation activation = activation_of(step.run, id);
  ++activation.attempt;
  Value parameters = step.run.tokens.at(id).parameters;
  step.touch(activation.lineage);
  step.emit(NodeStarted{activation, std::move(parameters)});
  run_node(step, id);
}

}  // namespace

void start_wait(Step& step, TokenId id, const Value& parameters) {
  if (parameters.get("wait_type") == Value("for_event"))
    return start_event_wait(step, id, parameters);
  Activation activation = activation_of(step.run, id);
  std::string timer_id = timer_id_of(step.run, activation);
  const Node& node = step.run.definition->nodes[activation.node];
  auto plan = plan_wait(step, node, parameters, next_wait_id(step.run, node.id));
  if (!plan) return fail_node(step, id, std::move(plan).error());
  bool ends = plan->missing || (plan->at <= step.at && plan->past);
  if (!ends && plan->at <= step.at)
    return finish_node(step, id, {suspend_output(plan->at, timer_id), {}, Route::all()});
  WaitGate gate = gate_of(step, !plan->type.empty());
  if (gate == WaitGate::ends) return exit_at_gate(step);
  if (ends && gate == WaitGate::open) return pass_date(step, id, *plan, timer_id);
  step.touch(activation.lineage);
  step.emit(opening(activation, *plan, timer_id));
  hold_at_gate(step, gate, {WaitSource::graph, id});
  hold_at_limit(step, {WaitSource::graph, id});
}

void follow_date(Step& step, TokenId id, const WaitPlan& plan) { leave_by_date(step, id, plan); }

namespace {

/// The first of the kept signals that a wait of these parameters is for, or null.
const KeptSignal* first_fitting(const Run& run, const Value& parameters) {
  std::string name = to_text(parameters.get("name"));
  for (const KeptSignal& signal : run.signals)
    if (signal.name == name && meets_criteria(parameters.get("match"), signal.payload))
      return &signal;
  return nullptr;
}

}  // namespace

void start_signal_wait(Step& step, TokenId id, const Value& parameters) {
  if (auto mistake = criteria_mistake(parameters.get("match")))
    return fail_node(step, id, {"parameter_invalid", "\"match\": " + *mistake, {}});
  if (const KeptSignal* kept = first_fitting(step.run, parameters))
    return take_signal(step, id, KeptSignal(*kept));
  std::string name = to_text(parameters.get("name"));
  auto timeout_ms = integer_of(parameters.get("timeout_ms")).value_or(0);
  const Node& node = step.run.definition->nodes[step.run.tokens.at(id).node];
  if (node.timeout_ms) timeout_ms = *node.timeout_ms;
  std::optional<Instant> until;
  if (timeout_ms > 0) until = step.at + Duration{timeout_ms};
  Activation activation = activation_of(step.run, id);
  step.touch(activation.lineage);
  // A later attempt waits by the same parameters (G-10).
  bool started = step.run.tokens.at(id).parked == Parked::started;
  if (node.retry.max_attempts > 1 && !started) step.emit(NodeStarted{activation, parameters});
  Value config;
  if (const Value& match = parameters.get("match"); match.size() > 0)
    config = Value::object({{"match", match}});
  step.emit(WaitOpened{activation, "signal", until, "", name, {}, "", std::move(config)});
}

namespace {

EdgeIndex branch_of_node(const Definition& definition, const Node& node, std::string_view branch) {
  for (const std::vector<EdgeIndex>* ways : {&node.normal_out, &node.routes})
    for (EdgeIndex edge : *ways) {
      if (edge == no_edge) continue;
      const Edge& way = definition.edges[edge];
      if (way.id == branch || definition.nodes[way.dst].id == branch) return edge;
    }
  return no_edge;
}

}  // namespace

std::optional<std::vector<EdgeIndex>> edges_to(const Run& run, TokenId id,
                                               const std::string& branch) {
  const Node& node = run.definition->nodes[run.tokens.at(id).node];
  if (branch.empty()) return node.normal_out;
  EdgeIndex edge = branch_of_node(*run.definition, node, branch);
  if (edge == no_edge) return std::nullopt;
  return std::vector<EdgeIndex>{edge};
}

bool has_branch(const Definition& definition, std::string_view node, std::string_view branch) {
  for (const Node& one : definition.nodes)
    if (one.id == node) return branch_of_node(definition, one, branch) != no_edge;
  return false;
}

void resume_by_hand(Step& step, TokenId id, const Value& event, std::vector<EdgeIndex> edges) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  if (token.parked == Parked::event) return resume_event_by_hand(step, id, event, std::move(edges));
  Value output = Value::object();
  if (token.parked == Parked::signal) {
    output = Value::object({{"payload", event}, {"received_at", Value()}, {"timed_out", false}});
  } else if (token.due) {
    output = suspend_output(*token.due, timer_id_of(step.run, activation));
  }
  output.set("resumed_at", to_rfc3339(step.at));
  output.set("resumed_by", "manual");
  const Definition& definition = *step.run.definition;
  bool one_way = edges != definition.nodes[token.node].normal_out && edges.size() == 1;
  tell_wait(output, step, id, event, one_way ? Value(definition.edges[edges[0]].id) : Value());
  step.touch(activation.lineage);
  step.emit(
      WaitResumed{activation, "manual", std::move(output), std::move(edges), token.since, ""});
  settle(step, activation.lineage);
}

void resume_past_date(Step& step, TokenId id, const std::string& branch, const std::string& by) {
  Activation activation = activation_of(step.run, id);
  Instant since = step.run.tokens.at(id).since;
  std::vector<EdgeIndex> edges = edges_to(step.run, id, branch).value_or(std::vector<EdgeIndex>{});
  Value output = Value::object({{"resumed_at", to_rfc3339(step.at)}, {"resumed_by", by}});
  tell_wait(output, step, id, Value(), branch.empty() ? Value() : Value(branch));
  step.touch(activation.lineage);
  step.emit(WaitResumed{activation, by, std::move(output), std::move(edges), since, ""});
  settle(step, activation.lineage);
}

void offer_signals(Step& step, const std::string& name) {
  for (const auto& [id, token] : step.run.tokens) {
    if (token.parked != Parked::signal || token.parameters.get("name") != Value(name)) continue;
    if (!listens(step.run, id)) continue;
    if (const KeptSignal* kept = first_fitting(step.run, token.parameters))
      return take_signal(step, id, KeptSignal(*kept));
  }
}

void offer_kept_signals(Step& step) {
  std::vector<std::string> names;
  for (const KeptSignal& signal : step.run.signals) names.push_back(signal.name);
  for (const std::string& name : names) offer_signals(step, name);
}

void fire_token_timer(Step& step, TokenId id) {
  switch (step.run.tokens.at(id).parked) {
    case Parked::start: return run_node(step, id);
    case Parked::timer:
      return stopped_at_gate(step, {WaitSource::graph, id}) ? void() : resume_wait(step, id);
    case Parked::signal:
      return stopped_at_gate(step, {WaitSource::graph, id}) ? void()
                                                            : time_out_signal_wait(step, id);
    case Parked::event:
      return stopped_at_gate(step, {WaitSource::graph, id}) ? void()
                                                            : time_out_event_wait(step, id);
    case Parked::retry: return retry_node(step, id);
    case Parked::bus: return send_hop(step, id);
    case Parked::approval: return time_out_approval(step, id);
    default: check(false);
  }
}

}  // namespace fermata::graph
