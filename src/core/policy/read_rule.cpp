#include <algorithm>

#include "core/policy/read_parts.h"

namespace fermata::policy {

namespace {

using job::VerdictKind;

std::optional<VerdictKind> decision_of(std::string_view name) {
  for (VerdictKind kind : {VerdictKind::allow, VerdictKind::allow_with_constraints,
                           VerdictKind::throttle, VerdictKind::require_approval, VerdictKind::deny})
    if (job::name_of(kind) == name) return kind;
  return std::nullopt;
}

VerdictKind read_decision(job::Members& rule, DocumentKind kind) {
  auto text = rule.text("decision");
  if (!text) {
    rule.require("decision");
    return VerdictKind::deny;
  }
  auto decision = decision_of(*text);
  bool strict = decision == VerdictKind::deny || decision == VerdictKind::require_approval;
  if (kind == DocumentKind::invariants && !strict) {
    rule.wrong("decision", "An invariant decides deny or require_approval.");
  } else if (!decision) {
    rule.wrong("decision", "`" + *text +
                               "` is none of allow, allow_with_constraints, throttle, "
                               "require_approval, deny.");
  }
  return decision.value_or(VerdictKind::deny);
}

bool is_key_name(const std::string& name) {
  if (name.starts_with("labels.")) return name.size() > 7;
  return text_fact_of(name).has_value();
}

void keep_texts(job::Members& part, Value& kept, std::string_view name) {
  if (!part.any(name)) return;
  Value list = Value::array();
  for (const std::string& text : part.texts(name)) list.push(text);
  kept.set(name, std::move(list));
}

void keep_integer(job::Members& part, Value& kept, std::string_view name, int64_t least,
                  int64_t most) {
  if (auto value = part.integer(name, least, most)) kept.set(name, *value);
}

void keep_switch(job::Members& part, Value& kept, std::string_view name) {
  const Value* value = part.any(name);
  if (!value) return;
  if (!value->is_bool()) return part.wrong(name, "true or false is expected.");
  kept.set(name, *value);
}

/// One part of the constraints, read by `take`, if it is given.
template <class Take>
void keep_part(job::Members& constraints, Value& kept, std::string_view name, Take take) {
  const Value* value = constraints.any(name);
  if (!value) return;
  if (!value->is_object()) return constraints.wrong(name, "An object is expected.");
  job::Members part(*value, constraints.path_of(name), constraints.findings());
  Value out = Value::object();
  take(part, out);
  part.finish();
  kept.set(name, std::move(out));
}

void take_budgets(job::Members& part, Value& out) {
  keep_integer(part, out, "max_runtime_ms", 1, INT64_MAX);
  keep_integer(part, out, "max_retries", 0, job::retry_attempts_max);
  keep_integer(part, out, "max_artifact_bytes", 0, INT64_MAX);
  keep_integer(part, out, "max_concurrent_jobs", 1, 1'000'000);
}

void take_sandbox(job::Members& part, Value& out) {
  keep_switch(part, out, "isolated");
  for (std::string_view name : {"network_allowlist", "fs_read_only", "fs_read_write"})
    keep_texts(part, out, name);
}

void take_toolchain(job::Members& part, Value& out) {
  keep_texts(part, out, "allowed_tools");
  keep_texts(part, out, "allowed_commands");
}

void take_diff(job::Members& part, Value& out) {
  keep_integer(part, out, "max_files", 0, INT64_MAX);
  keep_integer(part, out, "max_lines", 0, INT64_MAX);
  keep_texts(part, out, "deny_path_globs");
}

/// What a rule must have for its decision, and may not have without it.
void check_parts(job::Members& rule, const Rule& read) {
  bool approves = read.decision == VerdictKind::require_approval;
  if (!read.approval.is_null() && !approves)
    rule.wrong("approval", "Only a rule that decides require_approval has it.");
  bool constrains = read.decision == VerdictKind::allow_with_constraints;
  if (!read.constraints.is_null() && !constrains)
    rule.wrong("constraints", "Only a rule that decides allow_with_constraints has them.");
  if (constrains && read.constraints.size() == 0)
    rule.wrong("constraints", "A rule that decides allow_with_constraints names them.");
  if (!read.remediations.is_null() && !approves && read.decision != VerdictKind::deny)
    rule.wrong("remediations", "Only a rule that decides deny or require_approval has them.");
}

}  // namespace

std::optional<Velocity> read_velocity(job::Members& rule) {
  const Value* value = rule.any("velocity");
  if (!value) return std::nullopt;
  job::Members members(*value, rule.path_of("velocity"), rule.findings());
  Velocity velocity;
  members.require("max_requests");
  members.require("window_ms");
  velocity.max_requests =
      static_cast<uint64_t>(members.integer("max_requests", 0, 1'000'000).value_or(0));
  velocity.window_ms = members.integer("window_ms", 1, window_ms_max).value_or(1);
  velocity.key = members.any("key") ? members.texts("key") : std::vector<std::string>{"tenant"};
  if (velocity.key.empty() || velocity.key.size() > 8)
    members.wrong("key", "1 to 8 names of facts are expected.");
  for (const std::string& name : velocity.key)
    if (!is_key_name(name))
      members.wrong("key", "`" + name +
                               "` is no fact; known are tenant, topic, capability, "
                               "pack_id, actor_id, actor_type, principal, priority, workflow_id, "
                               "source and labels.NAME.");
  members.finish();
  return velocity;
}

Value read_approval(job::Members& rule) {
  const Value* value = rule.any("approval");
  if (!value) return {};
  job::Members members(*value, rule.path_of("approval"), rule.findings());
  Value kept = Value::object();
  if (members.any("roles")) {
    Value roles = Value::array();
    for (const std::string& role : members.texts("roles")) {
      bool known = role == "operator" || role == "editor" || role == "admin" || role == "root";
      if (!known)
        members.wrong("roles", "`" + role + "` is none of operator, editor, admin, root.");
      roles.push(role);
    }
    if (roles.size() == 0) members.wrong("roles", "At least one role is expected.");
    kept.set("roles", std::move(roles));
  }
  keep_integer(members, kept, "count", 1, approvals_max);
  keep_integer(members, kept, "expires_ms", 1'000, int64_t{365} * 86'400'000);
  members.finish();
  return kept;
}

Value read_constraints(job::Members& rule) {
  const Value* value = rule.any("constraints");
  if (!value) return {};
  job::Members members(*value, rule.path_of("constraints"), rule.findings());
  Value kept = Value::object();
  keep_part(members, kept, "budgets", take_budgets);
  keep_part(members, kept, "sandbox", take_sandbox);
  keep_part(members, kept, "toolchain", take_toolchain);
  keep_part(members, kept, "diff", take_diff);
  if (auto level = members.text("redaction_level")) kept.set("redaction_level", *level);
  members.finish();
  return kept;
}

Rule read_rule(const Value& value, const std::string& path, DocumentKind kind,
               const PatternCheck& check, std::vector<Finding>& findings) {
  Rule rule;
  if (!value.is_object()) {
    findings.push_back({"invalid_field", path, "A rule is an object.", {}});
    return rule;
  }
  job::Members members(value, path, findings);
  members.require("id");
  rule.id = members.text_or_empty("id");
  if (members.any("id") && (rule.id.empty() || rule.id.size() > rule_id_bytes_max))
    members.wrong("id", "1 to " + std::to_string(rule_id_bytes_max) + " bytes are expected.");
  if (const Value* match = members.any("match")) {
    rule.match = read_match(*match, members.path_of("match"), findings, check);
  } else {
    members.wrong("match", "This field is required; `{}` matches every job.");
  }
  rule.decision = read_decision(members, kind);
  rule.reason = members.text_or_empty("reason");
  rule.velocity = read_velocity(members);
  rule.approval = read_approval(members);
  rule.constraints = read_constraints(members);
  rule.remediations = read_remediations(members);
  check_parts(members, rule);
  members.finish();
  return rule;
}

}  // namespace fermata::policy
