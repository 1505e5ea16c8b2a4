#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/job/effect.h"
#include "core/policy/policy_set.h"

namespace fermata {

/// A document of policy as it is stored: the base, the invariants, or a bundle of an account.
struct PolicyDocument {
  static constexpr bool extensible = true;
  policy::DocumentKind kind = policy::DocumentKind::base;
  AccountId account{};    ///< of a bundle
  std::string id{};       ///< of a bundle
  uint32_t position = 0;  ///< bundles are asked in this order
  Value document{};
  uint64_t revision = 0;  ///< of the change that wrote it; the ETag
  Instant at{};
  std::string by{};
  std::string origin{};       ///< file, api or rollback
  std::string file_sha256{};  ///< of the text it was read from
  bool operator==(const PolicyDocument&) const = default;
  template <class V> void each(V&& v) {
    v("kind", kind);
    v("account_id", account);
    v("id", id);
    v("position", position);
    v("document", document);
    v("revision", revision);
    v("at", at);
    v("by", by);
    v("origin", origin);
    v("file_sha256", file_sha256);
  }
};
namespace policy {
constexpr DocumentKind last_of(DocumentKind) { return DocumentKind::invariants; }
}  // namespace policy

/// When a policy came into force for an account (or, where that is empty, for all without bundles).
struct PolicyVersion {
  static constexpr bool extensible = true;
  AccountId account{};
  std::string snapshot{};
  Instant at{};
  std::string by{};
  std::string reason{};
  std::string origin{};
  bool operator==(const PolicyVersion&) const = default;
  template <class V> void each(V&& v) {
    v("account_id", account);
    v("snapshot", snapshot);
    v("at", at);
    v("by", by);
    v("reason", reason);
    v("origin", origin);
  }
};
struct PolicyVersionPage {
  std::vector<PolicyVersion> items;  ///< newest first
  std::string next_cursor;
};

struct StoredPolicy {
  uint64_t revision = 0;  ///< grows with every change
  std::vector<PolicyDocument> documents;
};

/// One change of policy, whole: it takes effect iff the stored revision is `expected`.
struct PolicyChange {
  uint64_t expected = 0;
  std::vector<PolicyDocument> written{};  ///< each in the place of the one with its kind and names
  std::vector<PolicyDocument> removed{};
  std::vector<PolicyVersion> versions{};
  std::vector<std::pair<std::string, Value>> snapshots{};  ///< effective policies by their hash
};

/// Which lines of the decision log are wanted; empty fields do not filter.
struct DecisionFilter {
  AccountId account{};
  JobId job{};
  std::string topic{};  ///< a pattern
  std::optional<job::VerdictKind> decision{};
  std::string rule_id{};
  std::string snapshot{};
  std::optional<Instant> from{};
  std::optional<Instant> to{};
};
bool matches(const DecisionFilter& filter, const job::PolicyDecision& decision);
struct DecisionPage {
  std::vector<job::PolicyDecision> items;  ///< newest first
  std::string next_cursor;
};

struct RuleHits {
  std::string bundle;
  std::string rule_id;  ///< empty: what holds when no rule matches
  uint64_t hits = 0;
  Instant last_at;
};

/// What is kept of policy beside the jobs. Safe from several threads; each change is one durable
/// transaction together with its audit line.
class PolicyStore {
 public:
  virtual ~PolicyStore() = default;
  virtual Outcome<StoredPolicy> stored_policy() = 0;
  /// Answers the new revision; fails with version_conflict.
  virtual Outcome<uint64_t> change_policy(const PolicyChange& change, const AuditLine& audit) = 0;
  /// The effective policy of a snapshot, nothing when there was none of that name.
  virtual Outcome<std::optional<Value>> snapshot(const std::string& hash) = 0;
  /// Of the account and of all accounts.
  virtual Outcome<PolicyVersionPage> policy_versions(const AccountId& account, size_t limit,
                                                     const std::string& cursor) = 0;
  virtual Outcome<DecisionPage> decisions(const DecisionFilter& filter, size_t limit,
                                          const std::string& cursor) = 0;
  virtual Outcome<std::vector<RuleHits>> rule_hits(const AccountId& account) = 0;
};

}  // namespace fermata
