#include "core/run/approval_events.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "core/graph/nodes/node.h"
#include "core/run/script_asks.h"
#include "core/run/tokens.h"
#include "core/run/wait_events.h"

namespace fermata {

namespace {

/// The first attempt of a step has the id that a job of the step would have.
std::string id_of(const Run& run, uint64_t number, uint32_t attempt) {
  std::string id = run.id.text() + "." + std::to_string(number);
  return attempt > 1 ? id + "-" + std::to_string(attempt) : id;
}

/// What a decision is bound to: another title, message or payload is another question (G-49).
std::string hash_of(const Approval& approval) {
  return approval::hash_of("approval", Value::object({{"title", approval.title},
                                                      {"message", approval.message},
                                                      {"payload", approval.payload}}));
}

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string())
         : value.is_null() ? std::string()
                           : to_json(value);
}

std::vector<std::string> approvers_of(const Value& written) {
  // Both ways of asking have refused what cannot be read.
  auto read = approval::read_approvers(written);
  return read ? *std::move(read) : *approval::read_approvers({});
}

Value targets(const Run& run, const std::vector<EdgeIndex>& edges) {
  Value out = Value::array();
  for (EdgeIndex edge : edges)
    if (edge != graph::no_edge) out.push(run.definition->nodes[run.definition->edges[edge].dst].id);
  return out;
}

void change(Run& run, const Approval& approval) { run.approval_changes.push_back(approval); }

}  // namespace

ApprovalEnd withdrawn(const Value& reason) {
  return {ApprovalStatus::withdrawn, "", "", text_of(reason)};
}

void end_approval(Run& run, uint64_t number, ApprovalEnd end) {
  if (run.approvals.empty()) return;
  auto found = run.approvals.find(number);
  if (found == run.approvals.end()) return;
  Approval approval = std::move(found->second);
  run.approvals.erase(found);
  approval.status = end.status;
  approval.by = std::move(end.by);
  approval.comment = std::move(end.comment);
  approval.ended_reason = std::move(end.reason);
  change(run, approval);
}

void withdraw_approvals(Run& run, const std::string& reason) {
  while (!run.approvals.empty()) end_approval(run, run.approvals.begin()->first, withdrawn(reason));
}

void end_all_approvals(Run& run, const std::string& reason) {
  withdraw_approvals(run, reason);
  for (Approval& approval : run.approval_changes)
    if (approval.ended_reason == run_ends) approval.ended_reason = reason;
}

void take_over_approvals(Run& run, Instant at) {
  run.approval_changes.clear();
  for (auto& [number, approval] : run.approvals) {
    auto token = run.tokens.find(number);
    approval.id = id_of(run, number, token == run.tokens.end() ? 1 : token->second.attempt);
    approval.asked_at = at;
    change(run, approval);
  }
}

void date_approvals(Run& run, size_t from, Instant at) {
  for (size_t i = from; i < run.approval_changes.size(); ++i) {
    Approval& approval = run.approval_changes[i];
    approval.updated_at = at;
    if (approval.status != ApprovalStatus::pending) approval.ended_at = at;
  }
}

void apply(Run& run, const ApprovalRequested& event, Instant) {
  const Approval& approval = event.approval;
  if (approval.source == WaitSource::graph) {
    Token& token = run.tokens.at(approval.number);
    token.parked = Parked::approval;
    set_due(run, approval.number, token, approval.expires_at);
  }
  run.approvals.insert_or_assign(approval.number, approval);
  change(run, approval);
}

void apply(Run& run, const ApprovalDecided& event, Instant) {
  end_approval(run, event.number, {event.status, event.by, event.comment, ""});
}

Approval approval_of(const Run& run, const flow::OpenApproval& asked, const flow::Place& place,
                     Instant at) {
  Approval out;
  out.source = WaitSource::flow;
  out.number = asked.number;
  out.id = id_of(run, asked.number, 1);
  out.step = node_name(place);
  out.title = text_of(asked.request.get("title"));
  out.payload = asked.request.get("details");
  out.approvers = approvers_of(asked.request.get("approvers"));
  auto record = run.script->awaitables.find(asked.number);
  if (record != run.script->awaitables.end()) out.expires_at = record->second.due;
  if (out.expires_at)
    out.on_timeout = asked.request.find("otherwise") != nullptr ? "otherwise" : "fail";
  out.asked_at = at;
  out.hash = hash_of(out);
  return out;
}

Approval approval_of(const Run& run, TokenId token_id, const Value& parameters, Instant at) {
  const Token& token = run.tokens.at(token_id);
  const graph::Node& node = run.definition->nodes[token.node];
  Approval out;
  out.number = token_id;
  out.id = id_of(run, token_id, token.attempt);
  out.step = node.id;
  out.title = text_of(parameters.get("title"));
  out.message = text_of(parameters.get("message"));
  const Value* payload = parameters.find("payload");
  out.payload = payload ? *payload : token.payload;
  out.approvers = approvers_of(parameters.get("approvers"));
  auto timeout_ms = graph::integer_of(parameters.get("timeout_ms")).value_or(0);
  if (node.timeout_ms) timeout_ms = *node.timeout_ms;
  if (timeout_ms > 0) {
    out.expires_at = at + Duration{timeout_ms};
    out.on_timeout = text_of(parameters.get("on_timeout"));
    if (out.on_timeout.empty()) out.on_timeout = "fail";
  }
  std::vector<EdgeIndex> approve = node.normal_out;
  if (node.routes.at(0) != graph::no_edge) approve = {node.routes[0]};
  out.unblocks = Value::object(
      {{"approve", targets(run, approve)}, {"reject", targets(run, {node.routes.at(1)})}});
  out.asked_at = at;
  out.hash = hash_of(out);
  return out;
}

const Approval* find_approval(const Run& run, const std::string& id) {
  const std::string& own = run.id.text();
  if (id.size() <= own.size() || !id.starts_with(own) || id[own.size()] != '.') return nullptr;
  uint64_t number = 0;
  std::from_chars(id.data() + own.size() + 1, id.data() + id.size(), number);
  auto found = run.approvals.find(number);
  return found != run.approvals.end() && found->second.id == id ? &found->second : nullptr;
}

std::vector<ApprovalRecord> take_approval_changes(Run& run) {
  std::vector<ApprovalRecord> records;
  std::vector<Approval> changes = std::exchange(run.approval_changes, {});
  std::map<std::string_view, size_t> places;
  // Of each approval the last change counts.
  for (size_t i = changes.size(); i-- > 0;) {
    if (!places.emplace(changes[i].id, i).second) continue;
    records.push_back(
        {run.account, run.workflow, run.id, run.contact_id, run.started_by, changes[i]});
  }
  std::reverse(records.begin(), records.end());
  return records;
}

}  // namespace fermata
