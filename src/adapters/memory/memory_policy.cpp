#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "ports/cursor.h"

/// What is kept of policy.
namespace fermata {

namespace {

bool same_place(const PolicyDocument& a, const PolicyDocument& b) {
  return a.kind == b.kind && a.account == b.account && a.id == b.id;
}

}  // namespace

Outcome<StoredPolicy> MemoryStore::stored_policy() {
  std::lock_guard lock(mutex_);
  return policy_;
}

Outcome<uint64_t> MemoryStore::change_policy(const PolicyChange& change, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  if (change.expected != policy_.revision)
    return fail(ErrorCode::version_conflict,
                "policy is at revision " + std::to_string(policy_.revision));
  ++policy_.revision;
  for (const PolicyDocument& gone : change.removed)
    std::erase_if(policy_.documents,
                  [&](const PolicyDocument& one) { return same_place(one, gone); });
  for (PolicyDocument written : change.written) {
    std::erase_if(policy_.documents,
                  [&](const PolicyDocument& one) { return same_place(one, written); });
    written.revision = policy_.revision;
    policy_.documents.push_back(std::move(written));
  }
  for (const PolicyVersion& version : change.versions) policy_versions_.push_back(version);
  for (const auto& [hash, effective] : change.snapshots) snapshots_.emplace(hash, effective);
  append(audit);
  return policy_.revision;
}

Outcome<std::optional<Value>> MemoryStore::snapshot(const std::string& hash) {
  std::lock_guard lock(mutex_);
  auto found = snapshots_.find(hash);
  if (found == snapshots_.end()) return std::optional<Value>{};
  return std::optional(found->second);
}

Outcome<PolicyVersionPage> MemoryStore::policy_versions(const AccountId& account, size_t limit,
                                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  PolicyVersionPage page;
  for (size_t i = std::min<size_t>(before, policy_versions_.size()); i > 0; --i) {
    const PolicyVersion& version = policy_versions_[i - 1];
    if (!version.account.empty() && version.account != account) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(i);
      break;
    }
    page.items.push_back(version);
  }
  return page;
}

void MemoryStore::keep(const job::PolicyDecision& decision) {
  decisions_.emplace(++decisions_made_, decision);
  RuleHits& hits = rule_hits_[{decision.account, decision.bundle, decision.rule_id}];
  ++hits.hits;
  hits.last_at = decision.at;
}

Outcome<DecisionPage> MemoryStore::decisions(const DecisionFilter& filter, size_t limit,
                                             const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  DecisionPage page;
  uint64_t last = 0;
  for (auto at = decisions_.lower_bound(before); at != decisions_.begin();) {
    const auto& [number, decision] = *--at;
    if (!matches(filter, decision)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(decision);
    last = number;
  }
  return page;
}

Outcome<std::vector<RuleHits>> MemoryStore::rule_hits(const AccountId& account) {
  std::lock_guard lock(mutex_);
  std::vector<RuleHits> out;
  for (const auto& [key, hits] : rule_hits_)
    if (std::get<0>(key) == account)
      out.push_back({std::get<1>(key), std::get<2>(key), hits.hits, hits.last_at});
  return out;
}

Outcome<Store::PassedPage> MemoryStore::passed(Instant since, uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  PassedPage page;
  page.cursor = after;
  for (auto at = decisions_.upper_bound(after); at != decisions_.end(); ++at) {
    const auto& [number, decision] = *at;
    if (decision.counted.empty() || decision.at < since) continue;
    if (page.decisions.size() == limit) {
      page.more = true;
      break;
    }
    page.decisions.push_back(decision);
    page.cursor = number;
  }
  return page;
}

Outcome<Retention::Sweep> MemoryStore::remove_decisions(Instant before, size_t limit) {
  std::lock_guard lock(mutex_);
  Sweep sweep;
  while (!decisions_.empty() && decisions_.begin()->second.at < before) {
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    decisions_.erase(decisions_.begin());
    ++sweep.removed;
  }
  return sweep;
}

}  // namespace fermata
