#include <future>

#include "test/postgres/shared_schema.h"

namespace fermata::test {
namespace {

using LeadTest = SharedSchema;

// C-2, C-3, C-120: PostgreSQL knows at once that a process is dead; nobody waits for its lease.
TEST_F(LeadTest, lead_is_taken_at_once_when_the_leaders_session_is_gone) {
  auto first = leading("first");
  auto second = open(options("second"));
  EXPECT_FALSE(leads(*second));
  EXPECT_EQ(second->leader().name, "first");
  ASSERT_EQ(commit(*first, start_of("r1")), CommitOutcome::done);
  end_lock_session();
  EXPECT_TRUE(soon([&] { return leads(*second); }));
  EXPECT_EQ(commit(*first, start_of("r2")), CommitOutcome::unavailable);
  EXPECT_EQ(commit(*second, start_of("r2")), CommitOutcome::done);
  EXPECT_EQ(count("roots"), 2);
}

// C-12, C-90, C-202: who takes over waits for what the former leader has under way, so that it
// finds it when it recovers; and what begins later writes nothing.
TEST_F(LeadTest, commit_under_way_holds_up_the_takeover) {
  auto first = leading("first");
  ASSERT_EQ(commit(*first, start_of("r1")), CommitOutcome::done);
  postgres::Server server{.url = database().url(), .password = "", .schema = schema_};
  postgres::Connection holding(server);
  ASSERT_TRUE(holding.ensure());
  ASSERT_EQ(holding.script("begin; select 1 from roots where id = 'r1' for update").trouble,
            postgres::Trouble::none);
  RunWrite next = start_of("r1");
  next.expected_version = 1;
  next.summary.last_sequence = 2;
  next.events = {2, 1, "went on"};
  auto outcome = std::async(std::launch::async, [&] { return commit(*first, next); });
  ASSERT_TRUE(soon(
      [&] { return database().number("select count(*) from pg_locks where not granted") > 0; }));
  auto second = open(options("second"));
  end_lock_session();
  auto taken = std::async(std::launch::async, [&] { return second->take_lead(); });
  // It waits for the fence's row, which the commit holds, or has given up waiting.
  ASSERT_TRUE(soon([&] {
    return database().number("select count(*) from pg_locks where not granted") > 1 ||
           taken.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }));
  ASSERT_EQ(holding.script("rollback").trouble, postgres::Trouble::none);
  EXPECT_EQ(outcome.get(), CommitOutcome::done);
  auto first_try = taken.get();
  EXPECT_TRUE((first_try && *first_try) || soon([&] { return leads(*second); }));
  RunId ids[] = {RunId("r1")};
  auto seen = second->load(ids);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->at(0).version, 2u);
}

// C-3, C-120: a process that stands still within a transaction holds the fence's row; PostgreSQL
// lets go of it, or nobody could follow.
TEST_F(LeadTest, transaction_of_a_frozen_process_does_not_hold_up_the_takeover_for_ever) {
  auto first = leading("first");
  postgres::Server server{.url = database().url(), .password = "", .schema = schema_};
  server.statement_timeout = Duration{1'000};
  postgres::Connection frozen(server);
  ASSERT_TRUE(frozen.ensure());
  ASSERT_EQ(frozen.script("begin; select 1 from leases where name = 'lead' for key share").trouble,
            postgres::Trouble::none);
  auto second = open(options("second"));
  end_lock_session();
  EXPECT_TRUE(soon([&] { return leads(*second); }));
  EXPECT_NE(frozen.script("commit").trouble, postgres::Trouble::none);
}

// C-3: a leader that has lost only its lock goes on, and takes it anew, while nobody else wants it.
TEST_F(LeadTest, leader_that_lost_its_lock_session_takes_the_lock_anew) {
  auto first = leading("first", Duration{1'500});
  ASSERT_TRUE(lock_is_held());
  end_lock_session();
  EXPECT_TRUE(soon([&] { return lock_is_held(); }));
  EXPECT_EQ(commit(*first, start_of("r1")), CommitOutcome::done);
  EXPECT_EQ(database().number("select fence from " + schema_ + ".leases"), 1);
}

// C-3: where locks do not hold the lease alone decides, and a free lock means nothing.
TEST_F(LeadTest, leader_without_a_lock_is_followed_when_its_lease_ends) {
  PostgresOptions two_hosts = options("first", Duration{60'000});
  std::string port = std::to_string(database().port());
  two_hosts.url = "postgres://fermata@127.0.0.1:" + port + ",127.0.0.1:" + port + "/postgres";
  auto first = open(two_hosts);
  ASSERT_TRUE(leads(*first));
  EXPECT_FALSE(lock_is_held());
  auto second = open(options("second"));
  EXPECT_FALSE(leads(*second));
  EXPECT_FALSE(lock_is_held()) << "a lock that is of no use is given back";
  ASSERT_TRUE(database().run("update " + schema_ + ".leases set until = now() - interval '1 s'"));
  EXPECT_TRUE(leads(*second));
  EXPECT_EQ(commit(*first, start_of("r1")), CommitOutcome::unavailable);
}

// C-3, C-120: a restart of PostgreSQL ends everybody's session and takes the lead from nobody.
TEST_F(LeadTest, restart_of_the_database_leaves_the_lead_where_it_was) {
  PostgresServer own;
  ASSERT_TRUE(own.start()) << own.log();
  PostgresOptions mine = options("first", Duration{6'000});
  mine.url = own.url();
  auto first = open(mine);
  ASSERT_TRUE(leads(*first));
  mine.holder = "second";
  auto second = open(mine);
  EXPECT_FALSE(leads(*second));
  own.kill_hard();
  ASSERT_TRUE(own.start()) << own.log();
  EXPECT_TRUE(soon([&] {
    auto taken = second->take_lead();
    EXPECT_FALSE(taken && *taken);
    return commit(*first, start_of("r1")) == CommitOutcome::done;
  }));
  EXPECT_EQ(own.number("select fence from " + schema_ + ".leases"), 1);
}

// C-91: given back, the lead is another's without waiting for anything.
TEST_F(LeadTest, leader_that_ends_gives_lock_and_lease_back) {
  auto first = leading("first");
  auto second = open(options("second"));
  EXPECT_FALSE(leads(*second));
  first.reset();
  EXPECT_TRUE(leads(*second));
  EXPECT_TRUE(lock_is_held());
}

}  // namespace
}  // namespace fermata::test
