#include "adapters/grpc_policy/question.h"

#include "adapters/grpc_policy/texts.h"

namespace fermata {

namespace wire = cordum::agent::v1;

namespace {

wire::JobPriority priority_of(job::Priority priority) {
  switch (priority) {
    case job::Priority::critical: return wire::JOB_PRIORITY_CRITICAL;
    case job::Priority::interactive: return wire::JOB_PRIORITY_INTERACTIVE;
    case job::Priority::batch: return wire::JOB_PRIORITY_BATCH;
  }
  return wire::JOB_PRIORITY_UNSPECIFIED;
}

void put_budget(const job::Budget& budget, wire::PolicyCheckRequest& out) {
  wire::Budget& to = *out.mutable_budget();
  to.set_max_input_tokens(budget.max_input_tokens.value_or(0));
  to.set_max_output_tokens(budget.max_output_tokens.value_or(0));
  to.set_max_total_tokens(budget.max_total_tokens.value_or(0));
  to.set_deadline_ms(budget.deadline_ms.value_or(0));
  constexpr double micros = 1e6;
  if (budget.max_cost_micros)
    out.set_estimated_cost(static_cast<double>(*budget.max_cost_micros) / micros);
}

void put_meta(const PolicyQuestion& question, wire::JobMetadata& to) {
  const job::Request& request = question.request;
  to.set_tenant_id(question.account.text());
  to.set_actor_id(request.actor.id);
  to.set_actor_type(request.actor.type == job::ActorType::human ? wire::ACTOR_TYPE_HUMAN
                                                                : wire::ACTOR_TYPE_SERVICE);
  to.set_idempotency_key(request.idempotency_key);
  to.set_capability(request.capability);
  for (const std::string& tag : request.risk_tags) to.add_risk_tags(tag);
  for (const std::string& need : request.requires_) to.add_requires_(need);
  to.set_pack_id(request.pack_id);
  put_texts(request.labels, *to.mutable_labels());
}

Value list_of(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  Value list = Value::array();
  for (const std::string& text : texts) list.push(text);
  return list;
}

void keep_number(Value& to, std::string_view name, int64_t number) {
  if (number > 0) to.set(name, number);
}

void keep_list(Value& to, std::string_view name,
               const google::protobuf::RepeatedPtrField<std::string>& texts) {
  if (!texts.empty()) to.set(name, list_of(texts));
}

void keep_part(Value& to, std::string_view name, Value part) {
  if (part.size() > 0) to.set(name, std::move(part));
}

Value constraints_of(const wire::PolicyConstraints& from) {
  Value out = Value::object();
  Value budgets = Value::object();
  keep_number(budgets, "max_runtime_ms", from.budgets().max_runtime_ms());
  // Unset and 0 are one on this wire; a kernel that wants no retry says so by its decision.
  keep_number(budgets, "max_retries", from.budgets().max_retries());
  keep_number(budgets, "max_artifact_bytes", from.budgets().max_artifact_bytes());
  keep_number(budgets, "max_concurrent_jobs", from.budgets().max_concurrent_jobs());
  keep_part(out, "budgets", std::move(budgets));
  Value sandbox = Value::object();
  if (from.sandbox().isolated()) sandbox.set("isolated", true);
  keep_list(sandbox, "network_allowlist", from.sandbox().network_allowlist());
  keep_list(sandbox, "fs_read_only", from.sandbox().fs_read_only());
  keep_list(sandbox, "fs_read_write", from.sandbox().fs_read_write());
  keep_part(out, "sandbox", std::move(sandbox));
  Value toolchain = Value::object();
  keep_list(toolchain, "allowed_tools", from.toolchain().allowed_tools());
  keep_list(toolchain, "allowed_commands", from.toolchain().allowed_commands());
  keep_part(out, "toolchain", std::move(toolchain));
  Value diff = Value::object();
  keep_number(diff, "max_files", from.diff().max_files());
  keep_number(diff, "max_lines", from.diff().max_lines());
  keep_list(diff, "deny_path_globs", from.diff().deny_path_globs());
  keep_part(out, "diff", std::move(diff));
  if (!from.redaction_level().empty()) out.set("redaction_level", from.redaction_level());
  return out.size() > 0 ? out : Value();
}

std::optional<job::VerdictKind> kind_of(const wire::PolicyCheckResponse& response) {
  using job::VerdictKind;
  switch (response.decision()) {
    case wire::DECISION_TYPE_ALLOW:
      return response.approval_required() ? VerdictKind::require_approval : VerdictKind::allow;
    case wire::DECISION_TYPE_ALLOW_WITH_CONSTRAINTS:
      return response.approval_required() ? VerdictKind::require_approval
                                          : VerdictKind::allow_with_constraints;
    case wire::DECISION_TYPE_REQUIRE_HUMAN: return VerdictKind::require_approval;
    case wire::DECISION_TYPE_THROTTLE: return VerdictKind::throttle;
    case wire::DECISION_TYPE_DENY: return VerdictKind::deny;
    default: return std::nullopt;
  }
}

}  // namespace

wire::PolicyCheckRequest to_wire(const PolicyQuestion& question) {
  const job::Request& request = question.request;
  wire::PolicyCheckRequest out;
  out.set_job_id(question.job.text());
  out.set_topic(request.topic);
  out.set_tenant(question.account.text());
  out.set_priority(priority_of(request.priority));
  if (request.budget) put_budget(*request.budget, out);
  out.set_principal_id(request.principal_id);
  put_texts(request.labels, *out.mutable_labels());
  out.set_memory_id(request.memory_id);
  put_meta(question, *out.mutable_meta());
  out.set_input_content(question.content);
  out.set_input_content_type("application/json");
  out.set_input_size_bytes(static_cast<int64_t>(request.input.bytes));
  return out;
}

PolicyAnswer from_wire(const wire::PolicyCheckResponse& response) {
  PolicyAnswer answer;
  job::Verdict& verdict = answer.verdict;
  verdict.source = "kernel";
  verdict.kernel_snapshot = response.policy_snapshot();
  verdict.rule_id = response.rule_id();
  verdict.reason = response.reason();
  auto kind = kind_of(response);
  if (!kind) {
    answer.kind = PolicyAnswer::Kind::unknown;
    answer.reason = "the kernel answers decision " + std::to_string(response.decision()) +
                    ", which is none that is known";
    return answer;
  }
  answer.kind = PolicyAnswer::Kind::verdict;
  verdict.kind = *kind;
  if (response.has_constraints()) verdict.constraints = constraints_of(response.constraints());
  return answer;
}

}  // namespace fermata
