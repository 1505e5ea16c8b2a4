#include "core/graph/advance.h"

#include "base/json.h"
#include "core/graph/approval.h"
#include "core/graph/orders.h"
#include "core/graph/token_roots.h"

namespace fermata::graph {

namespace {

std::optional<TokenId> next_ready(Run& run) {
  while (!run.ready.empty()) {
    auto found = run.tokens.find(run.ready.front());
    if (found != run.tokens.end() && found->second.parked == Parked::ready)
      return run.ready.front();
    run.ready.pop_front();
  }
  return std::nullopt;
}

void run_by_type(Step& step, TokenId id, const Node& node, const TokenRoots& roots,
                 Value parameters) {
  switch (node.type) {
    case NodeType::http:
    case NodeType::smtp: return start_call(step, id, std::move(parameters));
    case NodeType::job: return start_job(step, id, std::move(parameters));
    case NodeType::subworkflow: return start_child(step, id, std::move(parameters));
    case NodeType::signal: return send_signal(step, id, std::move(parameters));
    case NodeType::wait: return start_wait(step, id, parameters);
    case NodeType::wait_for_signal: return start_signal_wait(step, id, parameters);
    case NodeType::approval: return start_approval(step, id, std::move(parameters));
    case NodeType::split: return open_split(step, id, parameters);
    default: break;
  }
  if (is_trigger(node.type)) return finish_node(step, id, {});
  NodeInput input{node,
                  parameters,
                  roots,
                  step.at,
                  activation_of(step.run, id).visit,
                  expression_given(step),
                  code_given(step)};
  NodeResult result = run_instant(input);
  if (!result) return fail_node(step, id, std::move(result).error());
  if (node.type == NodeType::log) {
    const Value& output = result->output;
    auto trace = parse_trace(step.run.trace.parent, "");
    step.effect(WriteLog{step.run.id, to_text(output.get("level")), to_text(output.get("message")),
                         trace ? trace->trace_id : ""});
  }
  finish_node(step, id, *std::move(result));
}

}  // namespace

void finish_node(Step& step, TokenId id, NodeOutput done) {
  auto deep = too_deep(step, done.output);
  if (!deep && done.json) deep = too_deep(step, *done.json);
  if (deep) return fail_node(step, id, *std::move(deep));
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  bool fresh = token.parked == Parked::ready || token.parked == Parked::start;
  NodeSucceeded event;
  event.activation = activation;
  event.output = std::move(done.output);
  event.json = std::move(done.json);
  event.started_at = fresh ? step.at : token.since;
  if (done.route.kind == Route::Kind::all) {
    event.edges = node.normal_out;
  } else if (done.route.edge != no_edge) {
    event.edges = {done.route.edge};
  }
  bool goes_on = !event.edges.empty();
  step.touch(activation.lineage);
  step.emit(std::move(event));
  // All that go on share one context, so the last of them stands for all.
  auto limit = goes_on ? context_over_limit(step, step.run.next_token - 1) : std::nullopt;
  if (limit) return fail_run(step, error_object(*limit, node, activation.attempt));
  settle(step, activation.lineage);
}

void run_node(Step& step, TokenId id) {
  begin_activation(step);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  if (token.gathers != 0) return run_gathered(step, id);
  if (node.type == NodeType::merge) return arrive_at_merge(step, id);
  if (node.type == NodeType::aggregator) return arrive_at_aggregator(step, id);
  Activation activation = activation_of(step.run, id);
  if (auto limit = over_visits(step, node, activation.visit))
    return fail_node(step, id, *std::move(limit));
  if (node.disabled) {
    step.touch(activation.lineage);
    step.emit(NodeSucceeded{activation, {}, {}, node.normal_out, step.at, true});
    return settle(step, activation.lineage);
  }
  // A later attempt reuses what the first one evaluated (G-10).
  TokenRoots roots(step, token.lineage, token.context);
  if (token.parked == Parked::started && !token.parameters.is_null())
    return run_by_type(step, id, node, roots, token.parameters);
  if (!node.parameters) return run_by_type(step, id, node, roots, Value::object());
  auto parameters = evaluate(node.parameters, roots, expression_given(step));
  if (!parameters) return fail_node(step, id, node_failure(parameters.error()).value);
  run_by_type(step, id, node, roots, *std::move(parameters));
}

void advance(Step& step) {
  Run& run = step.run;
  while (!step.over() && !run.paused()) {
    if (auto id = next_ready(run)) {
      if (step.spent()) return;
      ++step.activations;
      if (goes_by_broker(step, *id)) {
        send_hop(step, *id);
        continue;
      }
      run_node(step, *id);
      if (auto limit = over_limit(step); limit && !step.over())
        fail_run(step, error_object(*limit, run.definition->nodes[run.definition->entry], 1));
      continue;
    }
    if (judge_merges(step)) continue;
    complete_if_done(step);
    return;
  }
}

}  // namespace fermata::graph
