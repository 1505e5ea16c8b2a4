#include "front/rune/status_message.h"

#include "base/json.h"
#include "base/uuid.h"
#include "core/model/measure.h"

namespace fermata::rune {

namespace {

/// Lineages deeper than any definition may open.
constexpr int depth_max = 64;

/// The error as consumers know it: always an object with message and code.
Value error_of(const Value& error, bool compat) {
  Value out = Value::object({{"message", error.get("message")}, {"code", error.get("code")}});
  Value details = error.get("details");
  if (compat) {
    if (!details.is_object()) details = Value::object();
    details.set("code", error.get("code"));
    out.set("code", "NODE_EXECUTION_FAILED");
  }
  if (!details.is_null()) out.set("details", std::move(details));
  return out;
}

int64_t ms_between(Instant from, Instant to) {
  return from.ms > 0 && to > from ? (to - from).ms : 0;
}

Status waiting(const Activation& activation, Value metadata) {
  Status out{activation.node, activation.lineage, "waiting"};
  out.metadata = std::move(metadata);
  return out;
}

std::vector<Status> of_wait(const WaitOpened& opened) {
  Value metadata = Value::object();
  Value output = Value::object();
  if (opened.resume_at) {
    metadata.set("resume_at", opened.resume_at->ms);
    output.set("resume_at", opened.resume_at->ms);
  }
  if (!opened.timer_id.empty()) output.set("timer_id", opened.timer_id);
  Status out = waiting(opened.activation, std::move(metadata));
  out.output = std::move(output);
  return {std::move(out)};
}

std::vector<Status> of_success(const Run& run, const NodeSucceeded& done, Instant at, bool compat) {
  const Activation& where = done.activation;
  std::vector<Status> out;
  if (done.skipped) {
    if (!compat) out.push_back({where.node, where.lineage, "skipped"});
    return out;
  }
  // A node that ends in the turn that starts it has no start of its own in the history.
  if (compat && done.started_at == at) {
    Status running{where.node, where.lineage, "running"};
    running.suffix = ":running";
    out.push_back(std::move(running));
  }
  Status success{where.node, where.lineage, "success", ms_between(done.started_at, at)};
  success.output = done.output;
  if (run.definition->nodes[where.node].type == graph::NodeType::aggregator) {
    success.extra = Value::object({{"aggregator_state", "released"}});
    // The history keeps the items; what is made of them is read where it lies.
    if (success.output.is_null() || (success.output.is_object() && success.output.size() == 0))
      success.output = Value::object({{"ref", "output"}});
  }
  out.push_back(std::move(success));
  return out;
}

std::vector<Status> of_merge(const MergeRecounted& counted, bool compat) {
  Status out{counted.node, counted.lineage, "waiting"};
  out.details = Value::object({{"arrived", counted.arrived}, {"expected", counted.expected}});
  if (compat) {
    out.status = "success";
    out.output = Value::object({{"_merge_waiting", true},
                                {"_merge_arrived", counted.arrived},
                                {"_merge_expected", counted.expected}});
    out.details = {};
  }
  return {std::move(out)};
}

std::vector<Status> of_merge(const MergeFailed& failed, bool compat) {
  Status out{failed.node, failed.lineage, "failed"};
  out.error = error_of(failed.error, compat);
  if (failed.error.get("code") == Value("merge_timeout"))
    out.error.set("message", "Operation timed out");
  out.details = Value::object({{"arrived", failed.arrived}, {"expected", failed.expected}});
  return {std::move(out)};
}

struct Teller {
  const Run& run;
  Instant at;
  bool compat;

  std::vector<Status> operator()(const NodeStarted& event) const {
    Status out{event.activation.node, event.activation.lineage, "running"};
    out.parameters = event.parameters;
    out.suffix = ":running";
    return {std::move(out)};
  }
  std::vector<Status> operator()(const NodeSucceeded& event) const {
    return of_success(run, event, at, compat);
  }
  std::vector<Status> operator()(const NodeFailed& event) const {
    const Activation& where = event.activation;
    Status out{where.node, where.lineage, "failed", ms_between(event.started_at, at)};
    out.error = error_of(event.error, compat);
    return {std::move(out)};
  }
  std::vector<Status> operator()(const NodeRetryScheduled& event) const {
    return {waiting(event.activation, Value::object({{"retry_at", event.retry_at.ms}}))};
  }
  std::vector<Status> operator()(const WaitOpened& event) const { return of_wait(event); }
  std::vector<Status> operator()(const WaitResumed& event) const {
    const Activation& where = event.activation;
    Status out{where.node, where.lineage, "success", ms_between(event.started_at, at)};
    out.output = event.output;
    return {std::move(out)};
  }
  std::vector<Status> operator()(const SplitOpened& event) const {
    Status out{event.activation.node, event.activation.lineage, "success"};
    out.output = Value::object({{"total_items", event.total}});
    return {std::move(out)};
  }
  std::vector<Status> operator()(const MergeRecounted& event) const {
    return of_merge(event, compat);
  }
  std::vector<Status> operator()(const MergeOpened& event) const {
    Status out{event.node, event.lineage, "success"};
    out.output = event.output;
    return {std::move(out)};
  }
  std::vector<Status> operator()(const MergeFailed& event) const { return of_merge(event, compat); }
  std::vector<Status> operator()(const ArrivalIgnored& event) const {
    if (!compat) return {};
    Status out{event.activation.node, event.activation.lineage, "success"};
    out.output = Value::object({{"_merge_ignored", true}});
    return {std::move(out)};
  }
  std::vector<Status> operator()(const ApprovalRequested& event) const {
    if (event.activation.token == 0) return {};
    return {waiting(event.activation, Value::object())};
  }
  std::vector<Status> operator()(const NodesSkipped& event) const {
    std::vector<Status> out;
    if (compat) return out;
    for (NodeIndex node : event.nodes) out.push_back({node, {}, "skipped"});
    return out;
  }
  std::vector<Status> operator()(const TokensCancelled& event) const {
    std::vector<Status> out;
    if (compat) return out;
    for (size_t i = 0; i < event.nodes.size(); ++i) {
      Status one{event.nodes[i], event.lineage, "cancelled"};
      one.details = Value::object({{"count", event.counts[i]}});
      out.push_back(std::move(one));
    }
    return out;
  }
  std::vector<Status> operator()(const auto&) const { return {}; }
};

}  // namespace

Value lineage_stack(const Run& run, const OpenScopes& scopes, Lineage lineage) {
  std::vector<Value> frames;
  for (int depth = 0; !lineage.outside() && depth < depth_max; ++depth) {
    auto found = scopes.find(lineage.scope);
    if (found == scopes.end() || found->second.split >= run.definition->nodes.size()) break;
    const OpenScope& scope = found->second;
    frames.push_back(Value::object(
        {{"split_node_id", run.definition->nodes[scope.split].id},
         {"branch_id", std::to_string(lineage.scope) + "-" + std::to_string(lineage.item)},
         {"item_index", lineage.item},
         {"total_items", scope.total}}));
    lineage = scope.outer;
  }
  Value out = Value::array();
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) out.push(std::move(*frame));
  return out;
}

std::string lineage_hash(const Value& stack) { return uuid_v5(to_json(stack)); }

Value told(const Value& value, const RunId& run, uint64_t sequence, std::string_view field) {
  if (approximate_bytes(value) * 6 <= value_bytes_max) return value;
  size_t bytes = to_json(value).size();
  if (bytes <= value_bytes_max) return value;
  std::string ref = "/api/v1/executions/" + run.text() + "/values/" + std::to_string(sequence) +
                    "/" + std::string(field);
  return Value::object({{"ref", std::move(ref)}, {"bytes", bytes}});
}

Value status_body(const Run& run, const OpenScopes& scopes, const Event& event,
                  const Status& status) {
  const graph::Node& node = run.definition->nodes[status.node];
  Value out = Value::object({{"workflow_id", run.workflow.text()},
                             {"execution_id", run.id.text()},
                             {"node_id", node.id},
                             {"node_name", node.name.empty() ? node.id : node.name},
                             {"status", status.status},
                             {"executed_at", to_rfc3339(event.at)},
                             {"duration_ms", status.duration_ms}});
  auto add = [&](const char* field, const Value& value) {
    if (!value.is_null()) out.set(field, told(value, run.id, event.sequence, field));
  };
  add("parameters", status.parameters);
  if (status.output.get("ref") == Value("output")) {
    out.set("output", Value::object({{"ref", "/api/v1/executions/" + run.id.text() + "/values/" +
                                                 std::to_string(event.sequence) + "/output"}}));
  } else {
    add("output", status.output);
  }
  add("error", status.error);
  add("details", status.details);
  add("metadata", status.metadata);
  if (status.extra.is_object())
    for (const Value::Member& member : status.extra.members())
      out.set(member.key.as_string(), member.value);
  if (status.lineage.outside()) return out;
  Value stack = lineage_stack(run, scopes, status.lineage);
  if (stack.size() == 0) return out;
  const Value& top = stack.items().back();
  for (const char* field : {"branch_id", "split_node_id", "item_index", "total_items"})
    out.set(field, top.get(field));
  out.set("lineage_hash", lineage_hash(stack));
  out.set("lineage_stack", std::move(stack));
  return out;
}

std::vector<Status> statuses_of(const Run& run, const Event& event, bool compat) {
  std::vector<Status> out = std::visit(Teller{run, event.at, compat}, event.body);
  std::erase_if(out, [&](const Status& one) { return one.node >= run.definition->nodes.size(); });
  return out;
}

}  // namespace fermata::rune
