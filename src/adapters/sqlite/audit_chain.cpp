#include "adapters/sqlite/audit_chain.h"

#include "adapters/sqlite/records.h"

namespace fermata::sqlite {

Outcome<void> AuditChain::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM audit"));
  next_number_ = static_cast<uint64_t>(last) + 1;
  return {};
}

Outcome<AuditChain::Head> AuditChain::head_of(const AccountId& account) {
  if (auto known = heads_.find(account); known != heads_.end()) return known->second;
  Rows rows = last_.query(account.text());
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading the audit");
    return root_of(account);
  }
  std::optional<AuditEntry> entry = decode_audit(rows.blob(1), rows.natural(0));
  if (!entry) return damaged("audit", rows.natural(0), "its checksum does not match");
  return Head{entry->sequence, std::move(entry->hash)};
}

/// Without lines a chain begins where those that were removed ended.
Outcome<AuditChain::Head> AuditChain::root_of(const AccountId& account) {
  Rows rows = root_.query(account.text());
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading the root of an audit chain");
    return Head{0, audit_hash_start()};
  }
  std::optional<AuditRoot> root = decode_audit_root(rows.blob(1), rows.natural(0));
  if (!root) return damaged("audit_root", rows.natural(0), "its checksum does not match");
  return Head{root->sequence, std::move(root->hash)};
}

Outcome<void> AuditChain::append(const AuditLine& line) {
  auto staged = staged_.find(line.account);
  if (staged == staged_.end()) {
    FERMATA_TRY(head, head_of(line.account));
    staged = staged_.emplace(line.account, std::move(head)).first;
  }
  Head& head = staged->second;
  AuditEntry entry{line, head.sequence + 1, std::move(head.hash), ""};
  entry.hash = audit_hash(entry.prev_hash, entry.sequence, line);
  std::string record = encode_audit(entry, next_number_);
  head = {entry.sequence, std::move(entry.hash)};
  if (!insert_.execute(next_number_, line.account.text(), Blob{record})) {
    return database_.failure("writing the audit");
  }
  ++next_number_;
  return {};
}

void AuditChain::keep() {
  for (auto& [account, head] : staged_) heads_.insert_or_assign(account, std::move(head));
  staged_.clear();
}

}  // namespace fermata::sqlite
