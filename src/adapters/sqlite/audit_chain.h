#pragma once
#include <map>
#include <string>

#include "adapters/sqlite/database.h"
#include "ports/reader.h"

namespace fermata::sqlite {

/// Writes audit lines, each chained to the one before it of the same account. The last hash of each
/// account is kept in memory; what a transaction adds counts only once `keep` is called.
class AuditChain {
 public:
  explicit AuditChain(Database& database) : database_(database) {}
  Outcome<void> start();
  /// Within a transaction of the caller.
  Outcome<void> append(const AuditLine& line);
  void keep();
  void drop() { staged_.clear(); }

 private:
  struct Head {
    uint64_t sequence = 0;
    std::string hash;
  };
  Outcome<Head> head_of(const AccountId& account);
  Outcome<Head> root_of(const AccountId& account);

  Database& database_;
  Statement last_{
      database_, "SELECT number, record FROM audit WHERE account = ? ORDER BY number DESC LIMIT 1"};
  Statement root_{database_, "SELECT number, record FROM audit_root WHERE account = ?"};
  Statement insert_{database_, "INSERT INTO audit VALUES (?, ?, ?)"};
  std::map<AccountId, Head> heads_;
  std::map<AccountId, Head> staged_;
  uint64_t next_number_ = 1;  ///< numbers of a transaction that failed are not used again
};

}  // namespace fermata::sqlite
