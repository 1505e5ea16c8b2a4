#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/rule_list.h"

namespace fermata::policy {

/// A stored document of an account, in the order it is asked.
struct BundleSource {
  static constexpr bool extensible = true;
  std::string id;
  Value document;
  bool operator==(const BundleSource&) const = default;
  template <class V>
  void each(V&& v) {
    v("id", id);
    v("document", document);
  }
};

/// Decisions of the first layer name it in place of a bundle; no bundle is called so.
constexpr std::string_view invariants_id = "invariants";

/// What a policy is made from: the documents of all layers (J-21).
struct Sources {
  Value base;        ///< null: there is none, and every job is allowed that no layer forbids
  Value invariants;  ///< null: none
  std::map<AccountId, std::vector<BundleSource>> bundles{};
  bool operator==(const Sources&) const = default;
};

struct CompiledDocument {
  std::string id;  ///< of a bundle
  Document document;
  RuleList rules;
};
using DocumentPtr = std::shared_ptr<const CompiledDocument>;

/// The layers that hold for one account.
struct AccountPolicy {
  /// SHA-256 of the canonical JSON of `effective`; `none` when there is no policy at all.
  std::string snapshot = "none";
  Value effective;  ///< {version, invariants, bundles[{id, document}], base}
  DocumentPtr invariants;
  std::vector<DocumentPtr> bundles;
  DocumentPtr base;

  bool none() const { return snapshot == "none"; }
  /// Null where there is none.
  const OutputPolicy* output() const { return base ? &base->document.output : nullptr; }
};

/// What holds while the kernel cannot be asked (J-33): `over` is set beyond the documents and beats
/// the base; an account's own `closed` beats both.
job::FailMode fail_mode_of(const AccountPolicy& policy, std::optional<job::FailMode> over);

/// A policy for every account, compiled; never changes. A change is a new one, swapped in whole.
class PolicySet {
 public:
  /// Fails with policy_invalid and every mistake; a path leads through `/base`, `/invariants` or
  /// `/bundles/ACCOUNT/ID`.
  static Outcome<std::shared_ptr<const PolicySet>> compile(Sources sources,
                                                           const PatternCheck& check = {});

  const AccountPolicy& of(const AccountId& account) const;
  const Sources& sources() const { return sources_; }
  /// Accounts with bundles of their own.
  const std::map<AccountId, AccountPolicy>& accounts() const { return accounts_; }
  const AccountPolicy& common() const { return common_; }

 private:
  Sources sources_;
  AccountPolicy common_;  ///< of accounts without bundles
  std::map<AccountId, AccountPolicy> accounts_;
};
using PolicyPtr = std::shared_ptr<const PolicySet>;

/// The sources that an effective policy was made from, for one account (J-24).
struct SnapshotSources {
  Value base;
  Value invariants;
  std::vector<BundleSource> bundles;
};
SnapshotSources sources_of(const Value& effective);

}  // namespace fermata::policy
