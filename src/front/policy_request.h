#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/policy/judge.h"
#include "core/policy/text.h"
#include "front/run_query.h"
#include "ports/policy_store.h"

/// What people ask of policy, read from their bodies and queries.
namespace fermata::front {

/// A document given as itself, as YAML text, or as `{"yaml": text}`. Findings of a text have line
/// and column. Fails with policy_invalid.
Outcome<Value> read_policy_document(const Value& given, policy::DocumentKind kind,
                                    const policy::TextReader& reader);

/// What would hold for the account if the candidate did: `{base?, invariants?, bundles?}`, each in
/// the place of the layer in force; a bare document is a base.
Outcome<policy::PolicyPtr> candidate_policy(const Value& candidate, const policy::Sources& current,
                                            const AccountId& account,
                                            const policy::TextReader& reader);
/// `[{id, document}]`.
Outcome<std::vector<policy::BundleSource>> read_bundles(const Value& given,
                                                        const policy::TextReader& reader,
                                                        const std::string& path);

/// The effective policy of a snapshot that was the account's, or everybody's: what others have in
/// their bundles is theirs. Fails with snapshot_not_found.
Outcome<Value> own_snapshot(PolicyStore& store, const AccountId& account,
                            const std::string& snapshot);

Outcome<DecisionFilter> read_decision_filter(const NamedValues& query, const AccountId& account);
/// The same from a body.
Outcome<DecisionFilter> read_decision_filter(const Value& body, const AccountId& account);

Value decision_value(const job::PolicyDecision& decision);
Value verdict_value(const job::Judged& judged);
Value explained_value(const std::vector<policy::Explained>& lines);

}  // namespace fermata::front
