#include <future>

#include "test/postgres/relay.h"
#include "test/postgres/shared_schema.h"

namespace fermata::test {
namespace {

using BlockedCommit = SharedSchema;

// C-15, C-202: a commit waits behind a lock and its connection is cut. Who finds out what became of
// it makes it void before it can hold, or finds that it holds; never both.
TEST_F(BlockedCommit, whose_connection_is_cut_is_void_or_done_and_never_both) {
  Relay relay(database().port());
  PostgresOptions mine = options("first");
  mine.url = "postgres://fermata@127.0.0.1:" + std::to_string(relay.port()) + "/postgres";
  mine.lock_timeout = Duration{10'000};
  auto store = open(mine);
  ASSERT_TRUE(leads(*store));
  ASSERT_EQ(commit(*store, start_of("r1")), CommitOutcome::done);

  postgres::Server direct{.url = database().url(), .password = "", .schema = schema_};
  postgres::Connection holding(direct);
  ASSERT_TRUE(holding.ensure());
  ASSERT_EQ(holding.script("begin; select 1 from roots where id = 'r1' for update").trouble,
            postgres::Trouble::none);
  RunWrite next = start_of("r1");
  next.expected_version = 1;
  next.summary.last_sequence = 2;
  next.events = {2, 1, "went on"};
  auto outcome = std::async(std::launch::async, [&] { return commit(*store, next); });
  auto waiting = [&] {
    return database().number(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
        "and wait_event in ('transactionid', 'tuple')");
  };
  ASSERT_TRUE(soon([&] { return waiting() == 1; }));
  relay.cut();
  // The lost statement still waits, unless PostgreSQL has missed its client; the same writes come
  // again under another mark after the first was made void.
  ASSERT_TRUE(soon([&] {
    return database().number("select count(*) from " + schema_ + ".commits where won is null") ==
               1 ||
           waiting() > 1;
  }));
  ASSERT_EQ(holding.script("rollback").trouble, postgres::Trouble::none);
  EXPECT_EQ(outcome.get(), CommitOutcome::done);
  EXPECT_TRUE(soon([&] { return waiting() == 0; }));
  RunId ids[] = {RunId("r1")};
  auto seen = store->load(ids);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->at(0).version, 2u);
  EXPECT_EQ(count("history"), 2);
  EXPECT_EQ(database().number("select count(*) from " + schema_ + ".commits where won = '{0}'"), 2);
}

}  // namespace
}  // namespace fermata::test
