#include <gtest/gtest.h>

#include <set>

#include "test/chaos/load.h"
#include "test/postgres/postgres_server.h"

/// PostgreSQL with a standby that takes over (C-17), made with PostgreSQL's own tools.
namespace fermata::test {
namespace {

constexpr const char* failover_workflow = R"({"nodes":[
  {"id":"t","type":"manual","trigger":true},
  {"id":"w","type":"wait","parameters":{"amount":0.05}},
  {"id":"n","type":"noop"}],
 "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"n"}]})";

std::string url_of(const PostgresServer& first, const PostgresServer& second) {
  return "postgres://fermata@127.0.0.1:" + std::to_string(first.port()) +
         ",127.0.0.1:" + std::to_string(second.port()) + "/postgres";
}

bool ready_within(const ServerProcess& server, int seconds) {
  return await(seconds, [&] { return request(server.port(), "GET", "/readyz").status == 200; });
}

Value store_facts(const ServerProcess& server) {
  return request(server.port(), "GET", "/api/v1/system").body.get("store");
}

/// A commit of its own, so that the standby is known to have streamed this far.
bool streams(const PostgresServer& primary, const std::string& mode) {
  return await(30, [&] {
    return primary.number(
               "select count(*) from pg_stat_replication where state = 'streaming' and "
               "sync_state = '" +
               mode + "'") == 1;
  });
}

// C-17, C-204: with a synchronous standby nothing that was answered is lost.
TEST(PostgresFailover, synchronous_standby_takes_over_with_everything_that_was_answered) {
  PostgresServer primary, standby;
  ASSERT_TRUE(primary.start()) << primary.log();
  ASSERT_TRUE(standby.copy_from(primary)) << standby.log();
  ASSERT_TRUE(standby.start()) << standby.log();
  ASSERT_TRUE(primary.run("alter system set synchronous_standby_names = '*'"));
  ASSERT_TRUE(primary.run("select pg_reload_conf()"));
  ASSERT_TRUE(streams(primary, "sync")) << primary.log();

  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data",
                       {"--store", url_of(primary, standby), "--postgres-lease-ms", "3000"});
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_TRUE(await(20, [&] {
    return server.log().find("durability=synchronous") != std::string::npos;
  })) << server.log();
  EXPECT_EQ(store_facts(server).get("durability"), Value("synchronous"));
  Value before = store_facts(server);
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", failover_workflow).status,
            300);
  Load load(server.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return load.answered().size() > 50; })) << server.log();
  primary.kill_hard();
  ASSERT_TRUE(standby.promote()) << standby.log();
  // Its own standby is gone with the old primary: commits must not wait for it.
  ASSERT_TRUE(standby.run("alter system set synchronous_standby_names = ''"));
  ASSERT_TRUE(standby.run("select pg_reload_conf()"));
  size_t answered = load.answered().size();
  EXPECT_TRUE(await(30, [&] { return load.answered().size() > answered + 20; })) << server.log();
  load.stop();
  ASSERT_TRUE(ready_within(server, 30)) << server.log();
  // Another timeline: what was remembered was read again, and fences begin anew.
  EXPECT_TRUE(await(30, [&] {
    Value now = store_facts(server);
    return now.get("timeline").is_integer() &&
           now.get("timeline").as_integer() > before.get("timeline").as_integer() &&
           now.get("epoch").as_integer() == before.get("epoch").as_integer() + 1;
  })) << server.log();
  EXPECT_NE(server.log().find("begins anew"), std::string::npos) << server.log();
  std::set<std::string> ids;
  for (const std::string& id : load.answered()) {
    EXPECT_TRUE(ids.insert(id).second) << id;
    ASSERT_EQ(await_completed(server.port(), id), "") << server.log();
    ASSERT_EQ(terminal_events(server.port(), id), 1u) << id;
  }
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  Ran verified = run_fermata({"verify", "--store", standby.url()});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

// C-17, C-205: an asynchronous one that lags loses its lag and nothing else, and nothing by halves.
TEST(PostgresFailover, asynchronous_standby_loses_its_lag_and_nothing_by_halves) {
  PostgresServer primary, standby;
  ASSERT_TRUE(primary.start()) << primary.log();
  ASSERT_TRUE(standby.copy_from(primary)) << standby.log();
  ASSERT_TRUE(standby.start()) << standby.log();
  ASSERT_TRUE(streams(primary, "async")) << primary.log();
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data",
                       {"--store", url_of(primary, standby), "--postgres-lease-ms", "3000"});
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_TRUE(await(20, [&] { return server.log().find("durability=local") != std::string::npos; }))
      << server.log();
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", failover_workflow).status,
            300);
  std::vector<std::string> kept;
  {
    Load load(server.port(), "{}");
    ASSERT_TRUE(await(20, [&] { return load.answered().size() > 40; })) << server.log();
    load.stop();
    kept = load.answered();
  }
  for (const std::string& id : kept) ASSERT_EQ(await_completed(server.port(), id), "");
  // All of it has arrived there; from here on it lags.
  ASSERT_TRUE(await(30, [&] {
    return primary.number(
               "select count(*) from pg_stat_replication where replay_lsn >= "
               "pg_current_wal_lsn()") == 1;
  }));
  standby.kill_hard();
  Load late(server.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return late.answered().size() > 30; })) << server.log();
  primary.kill_hard();
  late.stop();
  ASSERT_TRUE(standby.start()) << standby.log();
  ASSERT_TRUE(standby.promote()) << standby.log();
  ASSERT_TRUE(await(60, [&] {
    return store_facts(server).get("timeline") == Value(int64_t{2}) && ready_within(server, 1);
  })) << server.log();
  for (const std::string& id : kept) {
    ASSERT_EQ(await_completed(server.port(), id), "") << server.log();
    ASSERT_EQ(terminal_events(server.port(), id), 1u) << id;
  }
  size_t lost = 0;
  for (const std::string& id : late.answered()) {
    int status = request(server.port(), "GET", "/api/v1/executions/" + id).status;
    ASSERT_TRUE(status == 200 || status == 404) << status;
    if (status == 404) ++lost;
  }
  EXPECT_EQ(lost, late.answered().size());
  Load after(server.port(), "{}");
  EXPECT_TRUE(await(20, [&] { return after.answered().size() > 10; })) << server.log();
  after.stop();
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  Ran verified = run_fermata({"verify", "--store", standby.url()});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

// C-17: a copy by other ways than a standby is another database, and asks before it is used.
TEST(PostgresFailover, other_database_than_the_recorded_one_is_refused_until_it_is_accepted) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  {
    ServerProcess server(directory.path() / "first", {"--store", database.url()});
    ASSERT_TRUE(server.start()) << server.log();
    EXPECT_EQ(server.stop_softly(), 0);
  }
  ASSERT_TRUE(
      database.run("update fermata.settings set value = '1' where name = 'system_identifier'"));
  Ran refused = run_fermata({"serve", "--listen", "127.0.0.1:0", "--store", database.url()});
  EXPECT_EQ(refused.code, 5) << refused.output;
  EXPECT_NE(refused.output.find("--accept-store"), std::string::npos) << refused.output;
  ServerProcess accepting(directory.path() / "second",
                          {"--store", database.url(), "--accept-store"});
  ASSERT_TRUE(accepting.start()) << accepting.log();
  EXPECT_EQ(store_facts(accepting).get("epoch"), Value(int64_t{1}));
  EXPECT_EQ(accepting.stop_softly(), 0);
  ServerProcess next(directory.path() / "third", {"--store", database.url()});
  EXPECT_TRUE(next.start()) << next.log();
  EXPECT_EQ(next.stop_softly(), 0);
}

}  // namespace
}  // namespace fermata::test
