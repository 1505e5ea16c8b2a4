#include <sys/stat.h>
#include <unistd.h>

#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

TEST(SqliteOpen, makes_the_directory_and_its_parents) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "a/b/c");
  ASSERT_TRUE(store);
  EXPECT_EQ(commit_one(*store, creation("r1")), CommitOutcome::done);
}

TEST(SqliteOpen, path_with_characters_of_a_uri_is_a_path) {
  ScratchDirectory scratch;
  std::filesystem::path odd = scratch / "a?mode=memory#100%25 of it";
  ASSERT_EQ(commit_one(*open_store(odd), creation("r1")), CommitOutcome::done);
  EXPECT_TRUE(std::filesystem::exists(odd / "fermata.db"));
  EXPECT_EQ(version_of(*open_store(odd), "r1"), 1u);
}

TEST(SqliteOpen, second_server_on_the_same_directory_is_refused) {
  ScratchDirectory scratch;
  auto first = open_store(scratch / "data");
  auto error = open_error(scratch / "data");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::data_locked);
  EXPECT_NE(error->message.find(std::to_string(getpid())), std::string::npos) << error->message;
  first.reset();
  EXPECT_FALSE(open_error(scratch / "data"));
}

TEST(SqliteOpen, newer_schema_is_refused_and_left_as_it_is) {
  ScratchDirectory scratch;
  open_store(scratch / "data");
  run_sql(scratch / "data", "INSERT INTO migration VALUES (999, 'from the future')");
  std::string before = read_bytes(scratch / "data/fermata.db");
  auto error = open_error(scratch / "data");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::schema_newer);
  EXPECT_NE(error->message.find("999"), std::string::npos) << error->message;
  EXPECT_EQ(read_bytes(scratch / "data/fermata.db"), before);
}

TEST(SqliteOpen, missing_migrations_are_applied_to_an_empty_file) {
  ScratchDirectory scratch;
  auto database = Database::open(scratch / "empty.db", Database::Mode::create);
  ASSERT_TRUE(database);
  EXPECT_EQ(check_schema(**database).error().code, ErrorCode::data_damaged);
  ASSERT_TRUE(migrate(**database));
  ASSERT_TRUE(migrate(**database));
  EXPECT_EQ(*(*database)->number("SELECT max(number) FROM migration"), schema_newest());
}

TEST(SqliteOpen, creation_that_was_interrupted_begins_again) {
  ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  write_bytes(scratch / "data/fermata.db.new", "half of a database");
  auto store = open_store(scratch / "data");
  ASSERT_TRUE(store);
  EXPECT_FALSE(std::filesystem::exists(scratch / "data/fermata.db.new"));
}

TEST(SqliteOpen, file_in_place_of_the_directory_is_told) {
  ScratchDirectory scratch;
  write_bytes(scratch / "data", "a file");
  EXPECT_EQ(open_error(scratch / "data")->code, ErrorCode::io_failed);
}

TEST(SqliteOpen, directory_that_cannot_be_made_is_told) {
  auto error = open_error("/proc/fermata/data");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::io_failed);
  EXPECT_NE(error->message.find("/proc/fermata"), std::string::npos) << error->message;
}

TEST(SqliteOpen, directory_that_cannot_be_written_is_told_and_kept) {
  ScratchDirectory scratch;
  open_store(scratch / "data");
  chmod((scratch / "").c_str(), 0755);
  chmod((scratch / "data").c_str(), 0555);
  chmod((scratch / "data/lock").c_str(), 0444);
  // Root may write everywhere, so for this moment the test is nobody.
  uid_t user = geteuid();
  constexpr uid_t nobody = 65534;
  if (user == 0) ASSERT_EQ(seteuid(nobody), 0);
  auto error = open_error(scratch / "data");
  auto missing = open_error(scratch / "data/deeper");
  if (user == 0) ASSERT_EQ(seteuid(user), 0);
  chmod((scratch / "data").c_str(), 0755);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::io_failed);
  EXPECT_NE(error->message.find("Permission denied"), std::string::npos) << error->message;
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->code, ErrorCode::io_failed);
  EXPECT_TRUE(open_store(scratch / "data"));
}

TEST(SqliteOpen, foreign_database_is_refused) {
  ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  {
    auto foreign = Database::open(scratch / "data/fermata.db", Database::Mode::create);
    ASSERT_TRUE((*foreign)->run("CREATE TABLE other (x)"));
  }
  EXPECT_EQ(open_error(scratch / "data")->code, ErrorCode::data_damaged);
}

TEST(SqliteOpen, text_in_place_of_the_database_is_refused_and_kept) {
  ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  std::string text(5000, 'x');
  write_bytes(scratch / "data/fermata.db", text);
  EXPECT_EQ(open_error(scratch / "data")->code, ErrorCode::data_damaged);
  EXPECT_EQ(read_bytes(scratch / "data/fermata.db"), text);
}

}  // namespace
}  // namespace fermata::sqlite
