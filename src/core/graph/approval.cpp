#include "core/graph/approval.h"

#include "core/graph/advance.h"
#include "core/graph/nodes/parts.h"
#include "core/run/approval_events.h"

namespace fermata::graph {

namespace {

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value output_of(const Step& step, const Approval& asked, const ApprovalVerdict& verdict) {
  return Value::object({{"decision", verdict.approved ? "approved" : "rejected"},
                        {"by", text_or_null(verdict.by)},
                        {"at", to_rfc3339(step.at)},
                        {"comment", text_or_null(verdict.comment)},
                        {"hash", asked.hash}});
}

}  // namespace

void start_approval(Step& step, TokenId id, Value parameters) {
  if (auto deep = too_deep(step, parameters)) return fail_node(step, id, *std::move(deep));
  auto approvers = approval::read_approvers(parameters.get("approvers"));
  if (!approvers) return fail_node(step, id, {"parameter_invalid", approvers.error(), Value()});
  Activation activation = activation_of(step.run, id);
  step.touch(activation.lineage);
  // A later attempt asks by the same parameters (G-10).
  if (step.run.tokens.at(id).parked != Parked::started)
    step.emit(NodeStarted{activation, std::move(parameters)});
  const Value& asked = step.run.tokens.at(id).parameters;
  step.emit(ApprovalRequested{activation, approval_of(step.run, id, asked, step.at)});
}

void take_decision(Step& step, const Approval& asked, const ApprovalVerdict& verdict) {
  TokenId id = asked.number;
  const Node& node = step.run.definition->nodes[step.run.tokens.at(id).node];
  Value output = output_of(step, asked, verdict);
  EdgeIndex way = node.routes.at(verdict.approved ? approval_approve : approval_reject);
  if (verdict.approved)
    return finish_node(step, id,
                       {std::move(output), {}, way == no_edge ? Route::all() : Route::one(way)});
  if (way != no_edge) return finish_node(step, id, {std::move(output), {}, Route::one(way)});
  std::string why = verdict.comment.empty() ? "" : ": " + verdict.comment;
  fail_node(step, id, {"approval_rejected", "the request was rejected" + why, std::move(output)});
}

void time_out_approval(Step& step, TokenId id) {
  Approval asked = step.run.approvals.at(id);
  step.emit(ApprovalDecided{id, asked.id, ApprovalStatus::expired, "", ""});
  if (asked.on_timeout == "approve" || asked.on_timeout == "reject")
    return take_decision(step, asked, {asked.on_timeout == "approve", "timeout", ""});
  fail_node(step, id, {"timeout", "nobody answered in time", {}});
}

}  // namespace fermata::graph
