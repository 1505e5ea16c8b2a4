#include "adapters/redis/redis_feed.h"

#include "core/graph/advance.h"
#include "core/model/run.h"

namespace fermata {

namespace {

/// Outermost first (G-64).
Value lineage_stack(const Run& run, Lineage lineage) {
  if (lineage.outside()) return Value::array();
  auto found = run.scopes.find(lineage.scope);
  if (found == run.scopes.end()) return Value::array();
  const Scope& scope = found->second;
  Value frames = lineage_stack(run, scope.outer);
  const std::string& split = run.definition->nodes[scope.split].id;
  std::string branch =
      split + "@" + std::to_string(scope.visit) + "." + std::to_string(lineage.item);
  if (frames.size() > 0)
    branch = std::string(frames.items().back().get("branch_id").as_string()) + "/" + branch;
  frames.push(Value::object({{"split_node_id", split},
                             {"branch_id", branch},
                             {"item_index", lineage.item},
                             {"total_items", scope.total}}));
  return frames;
}

Value context_of(const Run& run, const Context& context) {
  Value out = Value::object();
  context.each([&](Context::Key key, const Context::Entry& entry) {
    if (key == Context::json_key) {
      out.set("$json", entry.value);
    } else if (key == Context::error_key) {
      out.set("$error", entry.value);
    } else if (size_t node = key - Context::of_node(0); node < run.definition->nodes.size()) {
      out.set(run.definition->nodes[node].id, entry.value);
    }
  });
  return out;
}

}  // namespace

std::optional<TimerDetails> timer_details(const Run& run, bool full) {
  if (run.timers.empty() || !run.definition) return std::nullopt;
  const RunTimer& next = *run.timers.begin();
  auto found = next.kind == TimerKind::token ? run.tokens.find(next.id) : run.tokens.end();
  if (found == run.tokens.end()) return std::nullopt;
  const Token& token = found->second;
  bool at_wait = token.parked == Parked::timer || token.parked == Parked::event;
  if (!at_wait || token.node >= run.definition->nodes.size()) return std::nullopt;
  TimerDetails details;
  details.run = run.id;
  details.timer_id = graph::timer_id_of(
      run, {found->first, token.node, token.lineage, token.visit, token.attempt});
  details.message = Value::object({{"workflow_id", run.workflow.text()},
                                   {"workflow_version", run.workflow_version},
                                   {"workflow_version_id", 0},
                                   {"current_node", run.definition->nodes[token.node].id},
                                   {"lineage_stack", lineage_stack(run, token.lineage)}});
  if (!full) return details;
  details.message.set("workflow_definition", run.definition->canonical);
  details.message.set("accumulated_context", context_of(run, token.context));
  return details;
}

void RedisFeed::settled(const Run& state) {
  PassingFeed::settled(state);
  if (barriers_) barriers_->changed(state);
  if (!timers_) return;
  if (auto details = timer_details(state, full_)) timers_->describe(*std::move(details));
}

void RedisFeed::waits_changed(std::span<const WaitRecord> waits) {
  PassingFeed::waits_changed(waits);
  if (mirror_) mirror_->changed(waits);
}

}  // namespace fermata
