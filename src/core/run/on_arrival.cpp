#include "core/graph/advance.h"
#include "core/graph/merge.h"

/// Tokens that other programs send (C-56 to C-58).
namespace fermata {

namespace {

/// Where a token of others stands, as far as the run has splits for it.
struct Standpoint {
  Lineage lineage;
  size_t open = 0;  ///< frames that are open here; the rest is opened for it
};

bool was_open(const Run& run, Lineage lineage, NodeIndex split) {
  if (lineage.outside() && run.done.contains(split)) return true;
  const uint32_t* next = run.branch(lineage).visits.find(split);
  return next != nullptr && *next > 0;
}

Outcome<Standpoint> standpoint_of(const Run& run, const RunLimits& limits,
                                  const ForeignToken& token) {
  Standpoint out;
  if (token.frames.size() > limits.split_depth_max)
    return fail(ErrorCode::invalid_field,
                "more than " + std::to_string(limits.split_depth_max) +
                    " splits around a token; setting graph_split_depth_max");
  for (const ArrivalFrame& frame : token.frames) {
    if (frame.total > limits.split_items_max)
      return fail(ErrorCode::invalid_field, "more than " + std::to_string(limits.split_items_max) +
                                                " items; setting graph_split_items_max");
    const Scope* found = nullptr;
    ScopeId id = 0;
    for (ScopeId open : run.branch(out.lineage).scopes) {
      const Scope& scope = run.scopes.at(open);
      if (scope.split != frame.split || scope.closed) continue;
      found = &scope;
      id = open;
    }
    if (!found) {
      if (was_open(run, out.lineage, frame.split))
        return fail(ErrorCode::activation_closed, "the split is closed");
      return out;
    }
    if (found->total != frame.total)
      return fail(ErrorCode::invalid_field, "the split has " + std::to_string(found->total) +
                                                " items, not " + std::to_string(frame.total));
    if (!found->branches.contains(frame.item))
      return fail(ErrorCode::activation_closed, "the branch has ended");
    out.lineage = {id, frame.item};
    ++out.open;
  }
  return out;
}

/// A split that others have run: every branch is awaited from outside.
Lineage open_frame(Step& step, Lineage outer, const ArrivalFrame& frame) {
  const graph::Definition& definition = *step.run.definition;
  const graph::Node& split = definition.nodes[frame.split];
  SplitOpened event;
  const uint32_t* visits = step.run.branch(outer).visits.find(frame.split);
  event.activation = {0, frame.split, outer, visits ? *visits : 0, 1};
  event.scope = step.run.next_scope;
  event.items = Value::array(std::vector<Value>(frame.total));
  event.total = frame.total;
  event.halt_on_item_error = split.raw.get("on_item_error") == Value("halt");
  if (split.aggregator != graph::no_node) {
    const Value* seconds = definition.nodes[split.aggregator].raw.find("timeout");
    event.deadline =
        graph::after_seconds(step.at, seconds && seconds->is_number() ? seconds->as_number() : 0);
  }
  Lineage inner{event.scope, frame.item};
  step.touch(outer);
  step.emit(std::move(event));
  return inner;
}

/// The token that stands at an open wait of that node.
std::optional<TokenId> waiting_at(const Run& run, Lineage lineage, NodeIndex node) {
  for (TokenId id : run.branch(lineage).tokens) {
    const Token& token = run.tokens.at(id);
    bool waits = token.parked == Parked::timer || token.parked == Parked::signal ||
                 token.parked == Parked::event;
    auto wait = run.waits.find({WaitSource::graph, id});
    if (waits && token.node == node && wait != run.waits.end() && is_pending(wait->second.status))
      return id;
  }
  return std::nullopt;
}

}  // namespace

Outcome<void> check_arrival(const Step& step, const ForeignToken& token) {
  FERMATA_TRY_VOID(standpoint_of(step.run, step.given.limits, token));
  for (const Value* value : {&token.context, &token.payload, &token.item})
    if (auto deep = graph::too_deep(step, *value))
      return fail(ErrorCode::nesting_too_deep, deep->message);
  return {};
}

void take_arrival(Step& step, const ForeignToken& token, const std::string& by) {
  auto at = standpoint_of(step.run, step.given.limits, token);
  Lineage lineage = at->lineage;
  for (size_t i = at->open; i < token.frames.size(); ++i)
    lineage = open_frame(step, lineage, token.frames[i]);
  TokensArrived event;
  event.lineage = lineage;
  if (!token.resumes) event.node = token.node;
  event.edges = token.edges;
  event.context = token.context;
  event.payload = token.payload;
  event.item = token.item;
  event.feeds = token.feeds;
  event.by = by;
  TokenId first = step.run.next_token;
  step.touch(lineage);
  step.emit(std::move(event));
  for (TokenId id = first; id < step.run.next_token; ++id) step.here.insert(id);
  graph::touch_pending_merges(step);
  graph::settle(step, lineage);
  const graph::Node& node = step.run.definition->nodes[token.node];
  if (auto limit = graph::context_over_limit(step, step.run.next_token - 1))
    return graph::fail_run(step, graph::error_object(*limit, node, 1));
  graph::advance(step);
}

Outcome<void> on_arrival(Step& step, const Command& command, const StartRun& start) {
  const ForeignToken& token = *start.arrival;
  if (step.over()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (step.run.definition->hash != start.definition->hash)
    return fail(ErrorCode::invalid_definition,
                "the execution has another definition than the message");
  FERMATA_TRY_VOID(check_arrival(step, token));
  if (token.resumes) {
    auto at = standpoint_of(step.run, step.given.limits, token);
    bool there = at->open == token.frames.size();
    if (auto id = there ? waiting_at(step.run, at->lineage, token.node) : std::nullopt) {
      if (step.run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
      graph::resume_by_hand(step, *id, {}, step.run.definition->nodes[token.node].normal_out);
      graph::advance(step);
      return {};
    }
    const std::string& name = step.run.definition->nodes[token.node].id;
    if (step.run.waits_opened.contains(name) || token.edges.empty())
      return fail(ErrorCode::wait_ended, "no wait is open at " + name);
  }
  take_arrival(step, token, command.actor);
  return {};
}

}  // namespace fermata
