#include <algorithm>

#include "front/fields.h"
#include "front/policy_board.h"
#include "front/policy_request.h"

/// Changes of policy that somebody asks for.
namespace fermata::front {

using policy::DocumentKind;

namespace {

AccountId account_of(DocumentKind kind, const PolicyActor& who) {
  return kind == DocumentKind::bundle ? who.account : AccountId();
}

std::string title(DocumentKind kind, const std::string& id) {
  std::string out(policy::name_of(kind));
  return id.empty() ? out : out + " " + id;
}

Outcome<void> named_well(DocumentKind kind, const std::string& id) {
  if (kind != DocumentKind::bundle) return {};
  if (is_valid_id(id) && id != policy::invariants_id) return {};
  return fail(ErrorCode::invalid_id, "`" + id + "` cannot name a bundle.");
}

/// Mistakes of one document, told by their place in it.
Outcome<void> check_document(const Value& document, DocumentKind kind,
                             const policy::PatternCheck& patterns) {
  auto reading = policy::read_document(document, kind, patterns);
  if (reading.ok()) return {};
  std::string first = reading.findings[0].path + ": " + reading.findings[0].message;
  return fail(ErrorCode::policy_invalid, std::move(first), std::move(reading.findings));
}

std::vector<PolicyDocument> as_documents(std::vector<policy::BundleSource> bundles,
                                         const PolicyActor& who, Instant now,
                                         const std::string& origin) {
  std::vector<PolicyDocument> out;
  for (policy::BundleSource& bundle : bundles) {
    PolicyDocument document;
    document.kind = DocumentKind::bundle;
    document.account = who.account;
    document.id = std::move(bundle.id);
    document.position = static_cast<uint32_t>(out.size());
    document.document = std::move(bundle.document);
    document.at = now;
    document.by = who.actor;
    document.origin = origin;
    out.push_back(std::move(document));
  }
  return out;
}

}  // namespace

Outcome<void> PolicyBoard::expect(const PolicyDocument* document,
                                  std::optional<uint64_t> if_revision) const {
  uint64_t revision = document ? document->revision : 0;
  if (!if_revision || *if_revision == revision) return {};
  return fail(ErrorCode::version_conflict,
              "the document is at revision " + std::to_string(revision));
}

Outcome<void> PolicyBoard::not_of_file(DocumentKind kind) const {
  if (kind != DocumentKind::base || !status_.file_present) return {};
  return fail(ErrorCode::managed_by_file, "the base policy is read from " + options_.file);
}

void PolicyBoard::note_versions(const policy::PolicySet& next, PolicyChange& change,
                                const std::string& origin, const PolicyActor& who) const {
  auto note = [&](const AccountId& account, const policy::AccountPolicy& policy) {
    const policy::AccountPolicy* before = nullptr;
    if (current_) before = account.empty() ? &current_->common() : &current_->of(account);
    if (before && before->snapshot == policy.snapshot) return;
    change.versions.push_back(
        {account, policy.snapshot, clock_.now(), who.actor, who.reason, origin});
    if (!policy.none()) change.snapshots.emplace_back(policy.snapshot, policy.effective);
  };
  note({}, next.common());
  for (const auto& [account, policy] : next.accounts()) note(account, policy);
  // An account that has lost its last bundle is under what holds for all.
  if (current_)
    for (const auto& [account, policy] : current_->accounts())
      if (!next.accounts().contains(account)) note(account, next.of(account));
}

Outcome<void> PolicyBoard::apply(PolicyChange change, const std::string& origin,
                                 const std::string& action, const PolicyActor& who) {
  std::vector<PolicyDocument> documents = stored_.documents;
  for (const auto* list : {&change.removed, &change.written})
    for (const PolicyDocument& one : *list)
      std::erase_if(documents, [&](const PolicyDocument& other) {
        return one.kind == other.kind && one.account == other.account && one.id == other.id;
      });
  documents.insert(documents.end(), change.written.begin(), change.written.end());
  FERMATA_TRY(next, policy::PolicySet::compile(sources_of(documents)));
  change.expected = stored_.revision;
  note_versions(*next, change, origin, who);
  AuditLine line{who.account,
                 clock_.now(),
                 who.actor,
                 action,
                 "policy",
                 who.reason,
                 Value::object({{"snapshot", next->of(who.account).snapshot}})};
  FERMATA_TRY(revision, store_.change_policy(change, line));
  for (PolicyDocument& one : documents)
    if (std::any_of(change.written.begin(), change.written.end(), [&](const auto& written) {
          return written.kind == one.kind && written.account == one.account && written.id == one.id;
        }))
      one.revision = revision;
  stored_ = {revision, std::move(documents)};
  current_ = next;
  if (options_.activate) options_.activate(next);
  if (options_.on_loaded) options_.on_loaded(next->of(who.account).snapshot, origin);
  return {};
}

Outcome<PolicyDocument> PolicyBoard::put(DocumentKind kind, const std::string& id, Value document,
                                         std::optional<uint64_t> if_revision,
                                         const PolicyActor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(named_well(kind, id));
  FERMATA_TRY_VOID(not_of_file(kind));
  FERMATA_TRY_VOID(check_document(document, kind, options_.read_text.check));
  const PolicyDocument* known = find(kind, account_of(kind, who), id);
  FERMATA_TRY_VOID(expect(known, if_revision));
  PolicyDocument put = known ? *known : PolicyDocument{};
  put.kind = kind;
  put.account = account_of(kind, who);
  put.id = id;
  if (!known && kind == DocumentKind::bundle)
    for (const PolicyDocument& other : stored_.documents)
      if (other.kind == kind && other.account == put.account)
        put.position = std::max(put.position, other.position + 1);
  put.document = std::move(document);
  put.at = clock_.now();
  put.by = who.actor;
  put.origin = "api";
  put.file_sha256.clear();
  PolicyChange change;
  change.written.push_back(std::move(put));
  FERMATA_TRY_VOID(apply(std::move(change), "api", "policy.put " + title(kind, id), who));
  return *find(kind, account_of(kind, who), id);
}

Outcome<void> PolicyBoard::remove(DocumentKind kind, const std::string& id,
                                  std::optional<uint64_t> if_revision, const PolicyActor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(not_of_file(kind));
  const PolicyDocument* known = find(kind, account_of(kind, who), id);
  if (!known) return fail(ErrorCode::bundle_not_found, "There is no " + title(kind, id) + ".");
  FERMATA_TRY_VOID(expect(known, if_revision));
  PolicyChange change;
  change.removed.push_back(*known);
  return apply(std::move(change), "api", "policy.remove " + title(kind, id), who);
}

Outcome<void> PolicyBoard::publish(std::vector<policy::BundleSource> bundles,
                                   const PolicyActor& who) {
  std::lock_guard lock(mutex_);
  for (const policy::BundleSource& bundle : bundles) {
    FERMATA_TRY_VOID(named_well(DocumentKind::bundle, bundle.id));
    FERMATA_TRY_VOID(
        check_document(bundle.document, DocumentKind::bundle, options_.read_text.check));
  }
  PolicyChange change;
  for (const PolicyDocument& one : stored_.documents)
    if (one.kind == DocumentKind::bundle && one.account == who.account)
      change.removed.push_back(one);
  change.written = as_documents(std::move(bundles), who, clock_.now(), "api");
  return apply(std::move(change), "api", "policy.publish", who);
}

Outcome<void> PolicyBoard::roll_back(const std::string& snapshot, bool whole,
                                     const PolicyActor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(effective, own_snapshot(store_, who.account, snapshot));
  policy::SnapshotSources wanted = policy::sources_of(effective);
  policy::Sources now = sources_of(stored_.documents);
  bool others = wanted.base != now.base || wanted.invariants != now.invariants;
  if (others && !whole)
    return fail(ErrorCode::forbidden,
                "that policy had another base or other invariants: the role root is needed");
  PolicyChange change;
  auto restore = [&](DocumentKind kind, const Value& then, const Value& current) {
    if (then == current) return;
    const PolicyDocument* known = find(kind, {}, "");
    PolicyDocument document = known ? *known : PolicyDocument{};
    document.kind = kind;
    document.document = then;
    document.at = clock_.now();
    document.by = who.actor;
    document.origin = "rollback";
    (then.is_null() ? change.removed : change.written).push_back(std::move(document));
  };
  restore(DocumentKind::base, wanted.base, now.base);
  restore(DocumentKind::invariants, wanted.invariants, now.invariants);
  if (wanted.bundles != now.bundles[who.account]) {
    for (const PolicyDocument& one : stored_.documents)
      if (one.kind == DocumentKind::bundle && one.account == who.account)
        change.removed.push_back(one);
    for (PolicyDocument& one :
         as_documents(std::move(wanted.bundles), who, clock_.now(), "rollback"))
      change.written.push_back(std::move(one));
  }
  return apply(std::move(change), "rollback", "policy.rollback", who);
}

}  // namespace fermata::front
