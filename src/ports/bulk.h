#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/summary.h"

namespace fermata {

enum class BulkState : uint8_t {
  running,  ///< or waiting for its turn; goes on after a restart
  done,
  stopped,  ///< by a person, before its end
};
std::string_view name_of(BulkState state);

/// Why one thing of the selection was not acted on.
struct BulkResult {
  uint64_t position = 0;  ///< in the selection
  std::string item;
  bool failed = false;  ///< false: refused, because its state forbids the action
  std::string code;
  std::string message;
};

/// One action on a selection that was frozen when it was asked for.
struct BulkRecord {
  std::string id;
  AccountId account;
  std::string kind;  ///< of what it acts on: `executions`
  std::string action;
  Value parameters;  ///< of the action
  std::string actor;
  std::string reason;
  std::string request_hash;
  BulkState state = BulkState::running;
  Instant created_at;
  std::optional<Instant> ended_at;
  uint32_t per_minute = 0;  ///< things acted on; 0: as fast as it goes
  uint64_t matched = 0;
  uint64_t position = 0;  ///< things dealt with so far, from the first on
  uint64_t done = 0;
  uint64_t refused = 0;
  uint64_t failed = 0;
  std::vector<BulkResult> results;  ///< in order of position; the first of them, if there are many
};

struct BulkPage {
  std::vector<BulkRecord> items;  ///< newest first, without results
  std::string next_cursor;
};

/// Bulk operations and how far they have come. Safe from several threads; each write is durable
/// when its call returns.
class Bulks {
 public:
  virtual ~Bulks() = default;
  /// Stores a new one with its selection and audit line. False when its id is taken: then nothing
  /// is written.
  virtual Outcome<bool> put_bulk(const BulkRecord& record, const std::vector<std::string>& items,
                                 const AuditLine& audit) = 0;
  /// Writes its progress or end; with an audit line if there is one.
  virtual Outcome<void> set_bulk(const BulkRecord& record, const AuditLine* audit) = 0;
  virtual Outcome<std::optional<BulkRecord>> bulk(const std::string& id) = 0;
  /// A part of its selection.
  virtual Outcome<std::vector<std::string>> bulk_items(const std::string& id, uint64_t from,
                                                       size_t limit) = 0;
  virtual Outcome<BulkPage> bulks(const AccountId& account, size_t limit,
                                  const std::string& cursor) = 0;
  /// All that are running, oldest first.
  virtual Outcome<std::vector<BulkRecord>> running_bulks() = 0;
};

}  // namespace fermata
