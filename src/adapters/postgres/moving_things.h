#pragma once
#include <map>
#include <string>

#include "adapters/postgres/moving_rows.h"

namespace fermata::postgres {

/// What things come to as rows. They are the same whenever the same thing is given, so that sums
/// over them can be compared.
class ThingRows {
 public:
  void add(const transfer::Item& item);
  /// By the name of their table; emptied by whoever has used them.
  std::map<std::string, MovedRows, std::less<>>& tables() { return tables_; }
  /// The newest line of audit of every account that was added or removed.
  struct Head {
    uint64_t sequence = 0;
    std::string hash;
  };
  const std::map<std::string, Head>& heads() const { return heads_; }

 private:
  MovedRows& rows(std::string_view table);
  void note_head(const std::string& account, uint64_t sequence, const std::string& hash);
  void put(uint64_t number, const transfer::Definition& one);
  void put(uint64_t number, const transfer::Orphan& one);
  void put(uint64_t number, const transfer::Workflow& one);
  void put(uint64_t number, const WorkflowRules& one);
  void put(uint64_t number, const KeyRecord& one);
  void put(uint64_t number, const CredentialRecord& one);
  void put(uint64_t number, const IdempotencyMark& one);
  void put(uint64_t number, const AccountRecord& one);
  void put(uint64_t number, const SavedView& one);
  void put(uint64_t number, const transfer::WholeRun& one);
  void put(uint64_t number, const transfer::WholeJob& one);
  void put(uint64_t number, const transfer::WholeSchedule& one);
  void put(uint64_t number, const WaitRecord& one);
  void put(uint64_t number, const transfer::WaitNumber& one);
  void put(uint64_t number, const ApprovalRecord& one);
  void put(uint64_t number, const Delivery& one);
  void put(uint64_t number, const SignalRecord& one);
  void put(uint64_t number, const SignalReached& one);
  void put(uint64_t number, const Contact& one);
  void put(uint64_t number, const DeadLetterEntry& one);
  void put(uint64_t number, const transfer::Blob& one);
  void put(uint64_t number, const fleet::RegistrationRecord& one);
  void put(uint64_t number, const transfer::Bulk& one);
  void put(uint64_t number, const transfer::PolicyRevision& one);
  void put(uint64_t number, const PolicyDocument& one);
  void put(uint64_t number, const transfer::PolicySnapshot& one);
  void put(uint64_t number, const PolicyVersion& one);
  void put(uint64_t number, const job::PolicyDecision& one);
  void put(uint64_t number, const transfer::PolicyHit& one);
  void put(uint64_t number, const StoredPools& one);
  void put(uint64_t number, const transfer::Usage& one);
  void put(uint64_t number, const OutboxRow& one);
  void put(uint64_t number, const transfer::Marked& one);
  void put(uint64_t number, const AuditEntry& one);
  void put(uint64_t number, const transfer::Removed& one);

  std::map<std::string, MovedRows, std::less<>> tables_;
  std::map<std::string, Head> heads_;
};

}  // namespace fermata::postgres
