#pragma once
#include "adapters/sqlite/database.h"
#include "ports/approvals.h"

namespace fermata::sqlite {

struct FoundApproval {
  uint64_t number = 0;
  ApprovalRecord record;
};

/// What is asked of approvals, over one connection.
class ApprovalQueries {
 public:
  explicit ApprovalQueries(Database& database) : database_(database) {}
  Outcome<std::optional<FoundApproval>> find(const std::string& id) {
    return take(find_.query(id));
  }
  Outcome<std::optional<FoundApproval>> by_number(uint64_t number) {
    return take(by_number_.query(number));
  }
  Outcome<ApprovalPage> list(const ApprovalFilter& filter, size_t limit, uint64_t before);

 private:
  Outcome<std::optional<FoundApproval>> take(Rows rows);
  Outcome<std::vector<uint64_t>> numbers(const ApprovalFilter& filter, uint64_t before,
                                         size_t limit);

  Database& database_;
  Statement find_{database_,
                  "SELECT number, id, account, run, status, record FROM approval WHERE id = ?"};
  Statement by_number_{
      database_, "SELECT number, id, account, run, status, record FROM approval WHERE number = ?"};
  Statement newest_{database_,
                    "SELECT number FROM approval WHERE number < ? ORDER BY number DESC LIMIT ?"};
  Statement of_status_{database_,
                       "SELECT number FROM approval WHERE account = ? AND status = ? "
                       "AND number < ? ORDER BY number DESC LIMIT ?"};
  Statement of_run_{database_,
                    "SELECT number FROM approval WHERE run = ? AND number < ? "
                    "ORDER BY number DESC LIMIT ?"};
};

/// Writes approvals within a transaction of the caller: what the commit of their run changed.
/// False when the database failed.
class ApprovalWriter {
 public:
  explicit ApprovalWriter(Database& database) : database_(database) {}
  bool write(const ApprovalRecord& record);
  bool forget(const RunId& run) { return forget_.execute(run.text()); }

 private:
  Database& database_;
  Statement known_{database_, "SELECT number FROM approval WHERE id = ?"};
  Statement last_{database_, "SELECT max(number) FROM approval"};
  Statement insert_{database_, "INSERT INTO approval VALUES (?, ?, ?, ?, ?, ?)"};
  Statement update_{database_, "UPDATE approval SET status = ?, record = ? WHERE number = ?"};
  Statement forget_{database_, "DELETE FROM approval WHERE run = ?"};
};

}  // namespace fermata::sqlite
