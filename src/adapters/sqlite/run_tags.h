#pragma once
#include <vector>

#include "adapters/sqlite/database.h"
#include "core/model/summary.h"

namespace fermata::sqlite {

/// What runs are looked up by beside status and workflow. A run has its tags from its creation on
/// and they never change, so only its first commit writes them, and most runs have none. The
/// numbers are stored.
enum class TagKind : int64_t {
  label = 0,      ///< key and value
  label_key = 1,  ///< the key alone: whichever value
  contact = 2,
  parent = 3,
};

struct Tag {
  TagKind kind;
  std::string_view key;
  std::string_view value;
};
/// Borrows from the summary.
std::vector<Tag> tags_of(const RunSummary& run);

/// Writes tags within a transaction of the caller.
class TagWriter {
 public:
  explicit TagWriter(Database& database) : database_(database) {}
  [[nodiscard]] bool write(const RunSummary& run, uint64_t number);
  /// With the run itself.
  [[nodiscard]] bool remove(const RunSummary& run, uint64_t number);

 private:
  Database& database_;
  Statement insert_{database_, "INSERT INTO tag VALUES (?, ?, ?, ?, ?)"};
  Statement delete_{database_,
                    "DELETE FROM tag WHERE account = ? AND kind = ? AND key = ? AND value = ? AND "
                    "run = ?"};
};

/// Gives the runs that were there before tags were theirs; part of a migration.
Outcome<void> tag_all_runs(Database& database);

}  // namespace fermata::sqlite
