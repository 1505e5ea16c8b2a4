#include <gtest/gtest.h>

#include <set>

#include "adapters/sqlite/moving_things.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

/// Rows that are read with the thing they are part of.
const std::set<std::string> parts = {"history",        "checkpoint",       "version",
                                     "job_history",    "job_log",          "job_blob",
                                     "held_output",    "schedule_history", "blob_bytes",
                                     "bulk_selection", "schedule_deleted"};
/// What is made anew from the rest, or says nothing elsewhere.
const std::set<std::string> not_moved = {"migration", "settlement",  "tally", "tag",
                                         "garbage",   "job_garbage", "moved"};

// C-105: whoever adds a table has to say whether it is moved.
TEST(SqliteMoving, every_table_is_moved_or_known_not_to_be) {
  ScratchDirectory scratch;
  ASSERT_TRUE(open_store(scratch / "data"));
  auto database = Database::open(database_file(scratch / "data"), Database::Mode::read);
  ASSERT_TRUE(database);
  std::set<std::string> known = parts;
  known.insert(not_moved.begin(), not_moved.end());
  for (const ThingTable& table : thing_tables()) known.insert(table.table);
  Statement tables(**database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  Rows rows = tables.query();
  std::set<std::string> there;
  while (rows.next()) there.insert(std::string(rows.text(0)));
  EXPECT_EQ(there, known);
  for (size_t i = 0; i < thing_tables().size(); ++i)
    EXPECT_EQ(static_cast<size_t>(thing_tables()[i].kind), i);
  EXPECT_EQ(thing_tables().size(), transfer::kinds);
}

}  // namespace
}  // namespace fermata::sqlite
