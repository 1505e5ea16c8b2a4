#include "core/run/node_items.h"

#include <utility>

#include "core/run/history.h"
#include "core/run/step.h"
#include "core/run/tokens.h"

namespace fermata {

namespace {

Value time_or_null(const std::optional<Instant>& at) {
  return at ? Value(to_rfc3339(*at)) : Value();
}

}  // namespace

NodeItems::Item& NodeItems::open(const Event& event, std::map<uint64_t, size_t>& index,
                                 uint64_t key, Lineage lineage) {
  auto [found, fresh] = index.try_emplace(key, items_.size());
  if (fresh) {
    Item& item = items_.emplace_back();
    item.lineage = lineage;
    item.first_sequence = event.sequence;
    item.started_at = event.at;
  }
  Item& item = items_[found->second];
  item.last_sequence = event.sequence;
  return item;
}

NodeItems::Item& NodeItems::of_token(const Event& event, const Activation& activation) {
  auto token = run_.tokens.find(activation.token);
  // The aggregator's token goes on with what it waited for.
  if (token != run_.tokens.end() && token->second.gathers != 0) {
    auto waiting = by_scope_.find(token->second.gathers);
    if (waiting != by_scope_.end()) by_token_.emplace(activation.token, waiting->second);
  }
  Item& item = open(event, by_token_, activation.token, activation.lineage);
  item.visit = activation.visit;
  item.attempt = activation.attempt;
  if (token != run_.tokens.end()) item.input = token->second.payload;
  return item;
}

NodeItems::Item& NodeItems::of_merge(const Event& event, const MergeKey& key) {
  auto [found, fresh] = by_merge_.try_emplace(key, items_.size());
  if (fresh) {
    Item& item = items_.emplace_back();
    item.lineage = key.lineage;
    item.visit = key.visit;
    item.first_sequence = event.sequence;
    item.started_at = event.at;
  }
  Item& item = items_[found->second];
  item.last_sequence = event.sequence;
  return item;
}

void NodeItems::end(Item& item, const Event& event, std::string_view status) {
  item.status = status;
  item.ended_at = event.at;
  item.details = {};
}

/// Work that is done elsewhere and will report.
void NodeItems::on_order(const Event& event) {
  auto ordered = [&](const Activation& activation, Value details) {
    if (!is_here(activation.node)) return;
    Item& item = of_token(event, activation);
    item.status = "running";
    item.details = std::move(details);
  };
  if (const auto* e = std::get_if<CallRequested>(&event.body)) ordered(e->activation, {});
  if (const auto* e = std::get_if<JobRequested>(&event.body))
    ordered(e->activation, Value::object({{"job_id", e->job.text()}}));
  if (const auto* e = std::get_if<ChildRequested>(&event.body))
    ordered(e->activation, Value::object({{"execution_id", e->child.text()}}));
  if (const auto* e = std::get_if<SignalSent>(&event.body))
    ordered(e->activation, Value::object({{"execution_id", e->to.text()}, {"name", e->name}}));
}

void NodeItems::on_wait(const Event& event) {
  if (const auto* e = std::get_if<NodeStarted>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    item.status = "running";
    item.parameters = e->parameters;
  }
  on_order(event);
  if (const auto* e = std::get_if<NodeRetryScheduled>(&event.body);
      e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    item.status = "waiting";
    item.details = Value::object({{"retry_at", to_rfc3339(e->retry_at)}});
    item.attempts.push_back(Value::object({{"attempt", e->activation.attempt},
                                           {"at", to_rfc3339(event.at)},
                                           {"error", e->error},
                                           {"retry_at", to_rfc3339(e->retry_at)}}));
  }
  if (const auto* e = std::get_if<ApprovalRequested>(&event.body);
      e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    item.status = "waiting";
    item.details = Value::object({{"approval_id", e->approval.id},
                                  {"hash", e->approval.hash},
                                  {"until", time_or_null(e->approval.expires_at)}});
  }
  if (const auto* e = std::get_if<WaitOpened>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    item.status = "waiting";
    item.details = Value::object({{"kind", e->kind}, {"resume_at", time_or_null(e->resume_at)}});
    if (!e->signal_name.empty()) item.details.set("signal_name", e->signal_name);
  }
}

void NodeItems::on_end(const Event& event) {
  if (const auto* e = std::get_if<NodeSucceeded>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    if (item.first_sequence == event.sequence) item.started_at = e->started_at;
    item.output = e->output;
    auto token = run_.tokens.find(e->activation.token);
    if (token != run_.tokens.end() && token->second.gathers != 0)
      item.output = gathered_output(run_.scopes.at(token->second.gathers),
                                    e->output.get("drop_ended") == Value(true));
    if (e->json) {
      if (!item.output.is_object()) item.output = Value::object();
      item.output.set("$json", *e->json);
    }
    end(item, event, e->skipped ? "skipped" : "success");
  }
  if (const auto* e = std::get_if<WaitResumed>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    item.output = e->output;
    end(item, event, "success");
  }
  if (const auto* e = std::get_if<NodeFailed>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_token(event, e->activation);
    if (item.first_sequence == event.sequence) item.started_at = e->started_at;
    item.error = e->error;
    end(item, event, "failed");
  }
  if (const auto* e = std::get_if<NodesSkipped>(&event.body))
    for (NodeIndex node : e->nodes)
      if (is_here(node)) {
        Item& item = items_.emplace_back();
        item.first_sequence = item.last_sequence = event.sequence;
        end(item, event, "skipped");
      }
}

void NodeItems::on_merge(const Event& event) {
  if (const auto* e = std::get_if<MergeArrived>(&event.body); e && is_here(e->activation.node)) {
    Item& item = of_merge(event, {e->activation.lineage, e->activation.node, e->activation.visit});
    item.status = "waiting";
    if (!e->parameters.is_null()) item.parameters = e->parameters;
    if (item.details.is_null()) item.details = Value::object();
    if (e->deadline) item.details.set("deadline", to_rfc3339(*e->deadline));
  }
  if (const auto* e = std::get_if<MergeRecounted>(&event.body); e && is_here(e->node)) {
    Item& item = of_merge(event, {e->lineage, e->node, e->visit});
    Value missing = Value::array();
    for (NodeIndex node : e->missing) missing.push(show_.definition().nodes[node].id);
    item.details = Value::object(
        {{"arrived", e->arrived}, {"expected", e->expected}, {"missing", std::move(missing)}});
    auto merge = run_.merges.find({e->lineage, e->node, e->visit});
    if (merge != run_.merges.end() && merge->second.deadline)
      item.details.set("deadline", to_rfc3339(*merge->second.deadline));
  }
  if (const auto* e = std::get_if<MergeOpened>(&event.body); e && is_here(e->node)) {
    Item& item = of_merge(event, {e->lineage, e->node, e->visit});
    item.output = e->output;
    end(item, event, "success");
  }
  if (const auto* e = std::get_if<MergeFailed>(&event.body); e && is_here(e->node)) {
    Item& item = of_merge(event, {e->lineage, e->node, e->visit});
    item.output = e->output;
    item.error = e->error;
    end(item, event, "failed");
  }
}

void NodeItems::on_split(const Event& event) {
  const graph::Definition& definition = show_.definition();
  if (const auto* e = std::get_if<SplitOpened>(&event.body)) {
    if (is_here(e->activation.node)) {
      Item& item = of_token(event, e->activation);
      item.output = Value::object({{"count", e->total}});
      end(item, event, "success");
    }
    NodeIndex aggregator = definition.nodes[e->activation.node].aggregator;
    if (aggregator != graph::no_node && is_here(aggregator)) {
      Item& item = open(event, by_scope_, e->scope, e->activation.lineage);
      item.status = "waiting";
      item.details = Value::object({{"processed", 0}, {"total", e->total}});
    }
  }
  if (const auto* e = std::get_if<SlotResolved>(&event.body)) {
    auto found = by_scope_.find(e->lineage.scope);
    if (found == by_scope_.end()) return;
    Item& item = items_[found->second];
    if (item.ended()) return;
    item.last_sequence = event.sequence;
    item.details.set("processed", item.details.get("processed").as_integer() + 1);
  }
}

void NodeItems::cancel_token(const Event& event, TokenId id) {
  const Token& token = run_.tokens.at(id);
  if (!is_here(token.node)) return;
  Item& item = of_token(event, activation_of(run_, id));
  end(item, event, "cancelled");
}

void NodeItems::cancel_lineage(const Event& event, Lineage lineage) {
  const Branch& branch = run_.branch(lineage);
  for (TokenId id : branch.tokens) cancel_token(event, id);
  for (ScopeId id : branch.scopes) {
    if (auto waiting = by_scope_.find(id); waiting != by_scope_.end()) {
      items_[waiting->second].last_sequence = event.sequence;
      end(items_[waiting->second], event, "cancelled");
    }
    for (auto [item, inner] : run_.scopes.at(id).branches) cancel_lineage(event, {id, item});
  }
  for (auto it = by_merge_.lower_bound({lineage, 0, 0});
       it != by_merge_.end() && it->first.lineage == lineage; ++it) {
    Item& item = items_[it->second];
    if (item.ended()) continue;
    item.last_sequence = event.sequence;
    end(item, event, "cancelled");
  }
}

void NodeItems::on_cancel(const Event& event, const TokensCancelled& cancelled) {
  if (cancelled.whole_lineage) return cancel_lineage(event, cancelled.lineage);
  for (TokenId id : cancelled.tokens) cancel_token(event, id);
}

/// A run made from another begins with what that one had under way.
void NodeItems::take_over(const Event& event) {
  for (const auto& [id, token] : run_.tokens) {
    if (!is_here(token.node) || token.parked == Parked::ready || token.parked == Parked::start)
      continue;
    bool runs =
        token.parked == Parked::call || token.parked == Parked::started || is_ordered(token.parked);
    Item& item = of_token(event, {id, token.node, token.lineage, token.visit, token.attempt});
    item.status = runs ? "running" : "waiting";
    item.started_at = token.since;
    item.parameters = token.parameters;
    if (token.due) item.details = Value::object({{"resume_at", to_rfc3339(*token.due)}});
  }
  for (const auto& [id, key] : run_.pending_merges)
    if (is_here(key.node)) of_merge(event, key).status = "waiting";
  for (const auto& [id, scope] : run_.scopes) {
    NodeIndex aggregator = show_.definition().nodes[scope.split].aggregator;
    if (scope.closed || aggregator == graph::no_node || !is_here(aggregator)) continue;
    Item& item = open(event, by_scope_, id, scope.outer);
    item.status = "waiting";
    item.details = Value::object({{"processed", scope.resolved}, {"total", scope.total}});
  }
}

Outcome<void> NodeItems::read(const HistoryChunk& chunk, uint64_t last_sequence) {
  FERMATA_TRY(events, decode_history(chunk));
  for (const Event& event : events) {
    if (event.sequence > last_sequence) return {};
    if (!show_.learn(event))
      return fail(ErrorCode::data_damaged, "the definition in force at sequence " +
                                               std::to_string(event.sequence) + " is missing");
    // Borrowed for the length of this call.
    run_.definition = graph::DefinitionRef(graph::DefinitionRef(), &show_.definition());
    on_wait(event);
    on_end(event);
    on_merge(event);
    on_split(event);
    if (const auto* gone = std::get_if<TokensCancelled>(&event.body)) on_cancel(event, *gone);
    evolve(run_, event);
    if (start_in(event.body) != nullptr) take_over(event);
    if (const auto* migrated = std::get_if<RunMigrated>(&event.body)) {
      ++phase_;
      for (auto& [key, item] : std::exchange(by_merge_, {}))
        by_merge_[{key.lineage, migrated->node_map[key.node], key.visit}] = item;
    }
  }
  return {};
}

Value NodeItems::summary(const Item& item) const {
  Value out = Value::object({{"status", item.status},
                             {"lineage", show_.lineage(item.lineage)},
                             {"visit", item.visit},
                             {"attempt", item.attempt},
                             {"sequence", item.last_sequence},
                             {"started_at", time_or_null(item.started_at)},
                             {"ended_at", time_or_null(item.ended_at)}});
  if (!item.lineage.outside()) {
    out.set("item", show_.branch_id(item.lineage));
    out.set("item_index", item.lineage.item);
  }
  if (!item.details.is_null()) out.set("details", item.details);
  if (!item.error.is_null()) out.set("error", item.error);
  return out;
}

Value NodeItems::whole(const Item& item) const {
  Value out = summary(item);
  out.set("first_sequence", item.first_sequence);
  out.set("input", item.input);
  out.set("parameters", item.parameters);
  out.set("output", item.output);
  out.set("error", item.error);
  out.set("attempts", Value::array(item.attempts));
  return out;
}

const NodeItems::Item* NodeItems::find(std::string_view name) const {
  const Item* by_index = nullptr;
  bool several = false;
  const Item* exact = nullptr;
  for (const Item& item : items_) {
    if (item.lineage.outside()) continue;
    // Of several visits the latest is meant.
    if (show_.branch_id(item.lineage) == name) exact = &item;
    if (std::to_string(item.lineage.item) != name) continue;
    several = several || (by_index && by_index->lineage != item.lineage);
    by_index = &item;
  }
  if (exact) return exact;
  return several ? nullptr : by_index;
}

}  // namespace fermata
