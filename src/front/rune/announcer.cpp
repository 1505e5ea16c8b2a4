#include "front/rune/announcer.h"

#include "base/json.h"
#include "front/rune/status_message.h"

namespace fermata::rune {

namespace {

Value as_object(const Value& value) {
  return value.is_object() ? value : Value::object({{"output", value}});
}

/// Why a run has ended, as the one completion says it.
struct End {
  std::string status;
  Value context;
  std::string reason;
};

std::string message_of(const Value& error) {
  return error.get("message").is_string() ? std::string(error.get("message").as_string())
                                          : to_json(error);
}

std::optional<End> end_in(const EventBody& body, bool compat) {
  if (const auto* completed = std::get_if<RunCompleted>(&body))
    return End{"completed", as_object(completed->output), ""};
  if (const auto* failed = std::get_if<RunFailed>(&body)) {
    // Rune calls a node that failed under halt a halt.
    bool unknown_type = failed->error.get("code") == Value("invalid_definition");
    return End{compat && !unknown_type ? "halted" : "failed", Value::object(),
               message_of(failed->error)};
  }
  if (const auto* cancelled = std::get_if<RunCancelled>(&body))
    return End{"halted", Value::object(),
               cancelled->reason.empty() ? "cancelled" : cancelled->reason};
  if (std::holds_alternative<RunTimedOut>(body)) return End{"halted", Value::object(), "timed_out"};
  return std::nullopt;
}

Value completion_body(const Run& run, const Event& event, const End& end) {
  Value out = Value::object(
      {{"workflow_id", run.workflow.text()},
       {"execution_id", run.id.text()},
       {"status", end.status},
       {"final_context", told(end.context, run.id, event.sequence, "output")},
       {"completed_at", to_rfc3339(event.at)},
       {"total_duration_ms", event.at > run.started_at ? (event.at - run.started_at).ms : 0}});
  if (!end.reason.empty()) out.set("failure_reason", end.reason);
  return out;
}

/// The start message: definition and context by reference, or in full while it is small enough.
Value start_body(const Run& run, const RunStarted& started, bool compat) {
  const graph::Definition& definition = *run.definition;
  bool graph =
      !definition.is_script() && !definition.external && definition.entry < definition.nodes.size();
  Value out = Value::object(
      {{"workflow_id", run.workflow.text()},
       {"execution_id", run.id.text()},
       {"current_node", graph ? Value(definition.nodes[definition.entry].id) : Value("")},
       {"workflow_version", started.workflow_version},
       {"workflow_version_id", 0},
       {"lineage_stack", Value::array()},
       {"is_worker_initiated", true}});
  Value context = Value::object({{"$json", started.input}});
  if (compat && graph) {
    Value whole = out;
    // The canonical form names credentials; it never holds their values.
    whole.set("workflow_definition", definition.canonical);
    whole.set("accumulated_context", context);
    if (to_json(whole).size() <= start_bytes_max) return whole;
  }
  std::string base = "/api/v1/executions/" + run.id.text();
  out.set("workflow_definition", Value::object({{"ref", base}, {"hash", started.hash.text()}}));
  out.set("accumulated_context", Value::object({{"ref", base + "/values/1/input"}}));
  return out;
}

/// What the token knows, by the names of nodes.
Value context_of(const Run& run, const Token& token) {
  Value out = Value::object();
  token.context.each([&](Context::Key key, const Context::Entry& entry) {
    if (key == Context::json_key) out.set("$json", entry.value);
    if (key < Context::of_node(0)) return;
    NodeIndex node = key - Context::of_node(0);
    if (node < run.definition->nodes.size())
      out.set("$" + run.definition->nodes[node].name, entry.value);
  });
  return out;
}

/// A step to a next node (C-60). Who takes it here needs its token alone; others read the rest.
Value hop_body(const Run& run, const OpenScopes& scopes, const Token& token, bool compat) {
  const graph::Definition& definition = *run.definition;
  Value out = Value::object({{"workflow_id", run.workflow.text()},
                             {"execution_id", run.id.text()},
                             {"current_node", definition.nodes[token.node].id},
                             {"from_node", definition.nodes[definition.edges[token.edge].src].id},
                             {"workflow_version", run.workflow_version},
                             {"workflow_version_id", 0},
                             {"lineage_stack", lineage_stack(run, scopes, token.lineage)},
                             {"is_worker_initiated", true}});
  if (compat) {
    Value whole = out;
    whole.set("workflow_definition", definition.canonical);
    whole.set("accumulated_context", context_of(run, token));
    if (to_json(whole).size() <= start_bytes_max) return whole;
  }
  std::string base = "/api/v1/executions/" + run.id.text();
  out.set("workflow_definition", Value::object({{"ref", base}, {"hash", definition.hash.text()}}));
  out.set("accumulated_context", Value::object({{"ref", base}}));
  return out;
}

/// Splits that stood open at some time during the events.
OpenScopes all_scopes(const OpenScopes& before, std::span<const Event> events) {
  OpenScopes out = before;
  for (const Event& event : events)
    if (const auto* opened = std::get_if<SplitOpened>(&event.body))
      out[opened->scope] = {opened->activation.node, opened->total, opened->activation.lineage};
  return out;
}

}  // namespace

std::vector<OutboxRow> RuneAnnouncer::announce(const Run& run, std::span<const Event> events,
                                               const OpenScopes& before) {
  std::vector<OutboxRow> rows;
  // Other accounts of the same server are nobody's business at this broker.
  if (run.account != options_.account) return rows;
  OpenScopes scopes = all_scopes(before, events);
  auto add = [&](const Event& event, const char* target, std::string id, const Value& body) {
    OutboxRow& row = rows.emplace_back();
    row.run = run.id;
    row.sequence = event.sequence;
    row.lane = lane;
    row.target = target;
    row.id = std::move(id);
    row.body = to_json(body);
    row.traceparent = run.trace.parent;
    return &row;
  };
  for (const Event& event : events) {
    std::string id = run.id.text() + ":" + std::to_string(event.sequence);
    if (const RunStarted* started = start_in(event.body))
      add(event, initiated_queue, id, start_body(run, *started, options_.compat));
    if (const auto* sent = std::get_if<TokenSent>(&event.body)) {
      auto token = run.tokens.find(sent->activation.token);
      // What has gone on or was cancelled in the same commit needs no message.
      if (token != run.tokens.end() && token->second.parked == Parked::bus)
        add(event, execution_queue, id, hop_body(run, scopes, token->second, options_.compat))
            ->token = token->first;
    }
    size_t told_of = 0;
    for (const Status& status : statuses_of(run, event, options_.compat)) {
      std::string own = id + std::string(status.suffix);
      // One event may speak of several nodes.
      if (status.suffix.empty() && told_of++ > 0)
        own += ":" + run.definition->nodes[status.node].id;
      add(event, status_queue, std::move(own), status_body(run, scopes, event, status));
    }
    if (auto end = end_in(event.body, options_.compat))
      add(event, completion_queue, id, completion_body(run, event, *end))->last = true;
  }
  return rows;
}

}  // namespace fermata::rune
