#include "core/policy/policy_set.h"

#include "base/hash.h"
#include "base/json.h"

namespace fermata::policy {

namespace {

DocumentPtr compile_one(const Value& value, DocumentKind kind, std::string id,
                        const std::string& path, const PatternCheck& check,
                        std::vector<Finding>& findings) {
  Reading reading = read_document(value, kind, check);
  for (Finding& finding : reading.findings) {
    finding.path = path + finding.path;
    findings.push_back(std::move(finding));
  }
  auto compiled = std::make_shared<CompiledDocument>();
  compiled->id = std::move(id);
  compiled->rules = RuleList(std::move(reading.document.rules));
  reading.document.rules.clear();
  compiled->document = std::move(reading.document);
  return compiled;
}

Value effective_of(const Sources& sources, const std::vector<BundleSource>& bundles) {
  Value list = Value::array();
  for (const BundleSource& bundle : bundles)
    list.push(Value::object({{"id", bundle.id}, {"document", bundle.document}}));
  return Value::object({{"version", 1},
                        {"invariants", sources.invariants},
                        {"bundles", std::move(list)},
                        {"base", sources.base}});
}

void name_snapshot(AccountPolicy& policy, const Sources& sources,
                   const std::vector<BundleSource>& bundles) {
  policy.effective = effective_of(sources, bundles);
  bool none = sources.base.is_null() && sources.invariants.is_null() && bundles.empty();
  policy.snapshot = none ? "none" : sha256_hex(to_canonical_json(policy.effective));
}

}  // namespace

Outcome<PolicyPtr> PolicySet::compile(Sources sources, const PatternCheck& check) {
  auto set = std::make_shared<PolicySet>();
  std::vector<Finding> findings;
  AccountPolicy& common = set->common_;
  if (!sources.base.is_null())
    common.base = compile_one(sources.base, DocumentKind::base, "", "/base", check, findings);
  if (!sources.invariants.is_null())
    common.invariants = compile_one(sources.invariants, DocumentKind::invariants,
                                    std::string(invariants_id), "/invariants", check, findings);
  name_snapshot(common, sources, {});
  for (const auto& [account, bundles] : sources.bundles) {
    if (bundles.empty()) continue;
    AccountPolicy policy = common;
    for (const BundleSource& bundle : bundles)
      policy.bundles.push_back(compile_one(
          bundle.document, DocumentKind::bundle, bundle.id,
          "/bundles/" + escape_pointer(account.text()) + "/" + escape_pointer(bundle.id), check,
          findings));
    name_snapshot(policy, sources, bundles);
    set->accounts_.emplace(account, std::move(policy));
  }
  if (!findings.empty()) {
    std::string first = findings[0].path + ": " + findings[0].message;
    return fail(ErrorCode::policy_invalid, std::move(first), std::move(findings));
  }
  set->sources_ = std::move(sources);
  return PolicyPtr(std::move(set));
}

job::FailMode fail_mode_of(const AccountPolicy& policy, std::optional<job::FailMode> over) {
  for (const DocumentPtr& bundle : policy.bundles)
    if (bundle->document.fail_mode == job::FailMode::closed) return job::FailMode::closed;
  if (over) return *over;
  auto base = policy.base ? policy.base->document.fail_mode : std::nullopt;
  return base.value_or(job::FailMode::closed);
}

const AccountPolicy& PolicySet::of(const AccountId& account) const {
  auto found = accounts_.find(account);
  return found != accounts_.end() ? found->second : common_;
}

SnapshotSources sources_of(const Value& effective) {
  SnapshotSources sources;
  sources.base = effective.get("base");
  sources.invariants = effective.get("invariants");
  const Value& bundles = effective.get("bundles");
  if (bundles.is_array())
    for (const Value& bundle : bundles.items())
      if (bundle.get("id").is_string())
        sources.bundles.push_back(
            {std::string(bundle.get("id").as_string()), bundle.get("document")});
  return sources;
}

}  // namespace fermata::policy
