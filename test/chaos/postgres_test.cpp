#include <gtest/gtest.h>
#include <poll.h>

#include <set>

#include "adapters/system/system_clock.h"
#include "base/random.h"
#include "test/chaos/call_sink.h"
#include "test/chaos/load.h"
#include "test/postgres/postgres_server.h"

namespace fermata::test {
namespace {

constexpr int rounds = 6;

/// A wait between two steps, so that runs are under way when something dies.
constexpr const char* workflow = R"({"nodes":[
  {"id":"t","type":"manual","trigger":true},
  {"id":"w","type":"wait","parameters":{"amount":0.05}},
  {"id":"n","type":"noop"}],
 "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"n"}]})";

std::vector<std::string> over(const PostgresServer& database) {
  return {"--store", database.url(), "--postgres-lease-ms", "3000"};
}

bool stands_by(int port) {
  return await(30, [&] {
    HttpReply ready = request(port, "GET", "/readyz");
    return ready.status == 200 && ready.body.get("role") == Value("follower");
  });
}

bool is_ready(int port, int seconds = 30) {
  return await(seconds, [&] { return request(port, "GET", "/readyz").status == 200; });
}

bool leads(int port, int seconds = 30) {
  return await(seconds,
               [&] { return request(port, "GET", "/readyz").body.get("role") == Value("leader"); });
}

void expect_each_once(int port, const std::vector<std::string>& answered) {
  std::set<std::string> ids(answered.begin(), answered.end());
  EXPECT_EQ(ids.size(), answered.size()) << "two starts were given the same execution";
  for (const std::string& id : answered) {
    ASSERT_EQ(await_completed(port, id), "");
    ASSERT_EQ(terminal_events(port, id), 1u) << id;
  }
}

// C-15, C-120, C-203: what was answered is there, once, however PostgreSQL dies.
TEST(PostgresChaos, nothing_answered_is_lost_when_the_database_is_killed_under_load) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data", over(database));
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", workflow).status, 300);
  Random random(20261118);
  std::vector<std::string> answered;
  for (int round = 0; round < rounds; ++round) {
    Load load(server.port(), "{}");
    ASSERT_TRUE(await(20, [&] { return load.answered().size() > 20; })) << server.log();
    poll(nullptr, 0, static_cast<int>(random.below(100)));
    database.kill_hard();
    // One round waits until commits are given up as unknown; in the others they are resolved.
    if (round == 0) load.stop();
    ASSERT_TRUE(database.start()) << database.log();
    load.stop();
    for (std::string& id : load.answered()) answered.push_back(std::move(id));
    ASSERT_TRUE(is_ready(server.port())) << server.log();
  }
  expect_each_once(server.port(), answered);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
}

// C-3, C-90, C-120: the one that stands by goes on where the one that was killed has stopped.
TEST(PostgresChaos, standby_takes_over_when_the_leader_is_killed) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  ServerProcess first(directory.path() / "first", over(database));
  ServerProcess second(directory.path() / "second", over(database));
  ASSERT_TRUE(first.start()) << first.log();
  ASSERT_LT(request(first.port(), "PUT", "/api/v1/workflows/chaos", workflow).status, 300);
  second.launch();
  ASSERT_TRUE(stands_by(second.port())) << second.log();
  EXPECT_EQ(request(second.port(), "GET", "/api/v1/executions").status, 200);

  Load load(first.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return load.answered().size() > 50; })) << first.log();
  first.kill_hard();
  load.stop();
  ASSERT_TRUE(leads(second.port(), 15)) << second.log();
  expect_each_once(second.port(), load.answered());

  // Stopped with a signal it gives the lead back at once.
  first.launch();
  ASSERT_TRUE(stands_by(first.port())) << first.log();
  EXPECT_EQ(second.stop_softly(), 0) << second.log();
  EXPECT_TRUE(leads(first.port())) << first.log();
  EXPECT_EQ(first.stop_softly(), 0) << first.log();
}

// C-90, C-91, C-215: a leader that was stopped, and goes on when another leads, writes nothing.
TEST(PostgresChaos, leader_that_was_stopped_and_goes_on_ends_without_a_write) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  ServerProcess first(directory.path() / "first", over(database));
  ServerProcess second(directory.path() / "second", over(database));
  ASSERT_TRUE(first.start()) << first.log();
  ASSERT_LT(request(first.port(), "PUT", "/api/v1/workflows/chaos", workflow).status, 300);
  second.launch();
  ASSERT_TRUE(stands_by(second.port())) << second.log();
  Load load(first.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return load.answered().size() > 20; })) << first.log();
  first.freeze();
  ASSERT_TRUE(leads(second.port(), 15)) << second.log();
  size_t before = load.answered().size();
  first.thaw();
  EXPECT_EQ(first.await_end(), 5) << first.log();
  load.stop();
  // What had been committed before it was stopped may still be answered; nothing newer.
  EXPECT_LE(load.answered().size(), before + 8);
  expect_each_once(second.port(), load.answered());
  EXPECT_EQ(second.stop_softly(), 0) << second.log();
}

/// A call after a wait until the instant of the input.
std::string call_after_wait(const std::string& sink) {
  return R"({"nodes":[
    {"id":"t","type":"manual","trigger":true},
    {"id":"w","type":"wait","parameters":{"wait_type":"until_date","target_date":"$input.at"}},
    {"id":"call","type":"http","parameters":{"method":"POST","url":")" +
         sink +
         R"(/due","body":{"run":"$run.id"}},"retry":{"max_attempts":5,"backoff_ms":20}}],
   "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"call"}]})";
}

// S-28, W-68: waits that fall due together on three servers over one database, of which the one
// that resumes them is killed meanwhile.
TEST(PostgresChaos, waits_due_together_are_resumed_once_by_whichever_server_lives) {
  CallSink outside;
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  ServerProcess first(directory.path() / "first", over(database));
  ServerProcess second(directory.path() / "second", over(database));
  ServerProcess third(directory.path() / "third", over(database));
  ASSERT_TRUE(first.start()) << first.log();
  ASSERT_LT(request(first.port(), "PUT", "/api/v1/workflows/chaos", call_after_wait(outside.url()))
                .status,
            300);
  second.launch();
  third.launch();
  ASSERT_TRUE(stands_by(second.port())) << second.log();
  ASSERT_TRUE(stands_by(third.port())) << third.log();

  std::string due = to_rfc3339(SystemClock().now() + Duration{12'000});
  Load load(first.port(), R"({"input":{"at":")" + due + R"("}})");
  ASSERT_TRUE(await(60, [&] { return load.answered().size() >= 500; })) << first.log();
  load.stop();
  std::vector<std::string> answered = load.answered();
  ASSERT_TRUE(await(60, [&] { return outside.seen().size() >= 50; })) << first.log();
  first.kill_hard();
  ASSERT_TRUE(await(60, [&] { return outside.seen().size() >= answered.size(); }))
      << outside.seen().size() << " of " << answered.size() << second.log() << third.log();
  int leads = is_ready(second.port(), 1) ? second.port() : third.port();
  expect_each_once(leads, answered);
  // One key for each wait, and the same request under it however often it was sent.
  auto keys = outside.seen();
  EXPECT_EQ(keys.size(), answered.size());
  std::set<std::string> requests;
  for (const auto& [key, seen] : keys) {
    EXPECT_EQ(seen.size(), 1u) << key;
    requests.insert(*seen.begin());
  }
  EXPECT_EQ(requests.size(), answered.size());
  EXPECT_EQ(second.stop_softly(), 0) << second.log();
  EXPECT_EQ(third.stop_softly(), 0) << third.log();
}

// C-4, C-6: what is wrong with the database is told before anything is served.
TEST(PostgresChaos, unsafe_or_absent_database_keeps_the_server_from_starting) {
  PostgresServer database({"fsync=off"});
  ASSERT_TRUE(database.start()) << database.log();
  Ran unsafe = run_fermata({"serve", "--listen", "127.0.0.1:0", "--store", database.url()});
  EXPECT_EQ(unsafe.code, 2) << unsafe.output;
  EXPECT_NE(unsafe.output.find("fsync = off"), std::string::npos) << unsafe.output;
  EXPECT_NE(unsafe.output.find("postgres_allow_unsafe"), std::string::npos) << unsafe.output;

  database.kill_hard();
  std::string url = "postgres://fermata:s3cret@127.0.0.1:" + std::to_string(database.port()) + "/x";
  Ran absent = run_fermata(
      {"serve", "--listen", "127.0.0.1:0", "--store", url, "--postgres-reach-ms", "300"});
  EXPECT_EQ(absent.code, 5) << absent.output;
  EXPECT_NE(absent.output.find(std::to_string(database.port())), std::string::npos);
  EXPECT_EQ(absent.output.find("s3cret"), std::string::npos) << absent.output;

  Ran shown = run_fermata({"serve", "--store", url, "--print-config"});
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_EQ(shown.output.find("s3cret"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("postgres://fermata:(hidden)@"), std::string::npos) << shown.output;
}

}  // namespace
}  // namespace fermata::test
