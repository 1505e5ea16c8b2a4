#include <gtest/gtest.h>

#include <set>

#include "test/chaos/load.h"
#include "test/postgres/postgres_server.h"

/// A server that is asked to move while it works, as people ask it (C-105, C-233).
namespace fermata::test {
namespace {

constexpr const char* waiting_workflow = R"({"nodes":[
  {"id":"t","type":"manual","trigger":true},
  {"id":"w","type":"wait","parameters":{"amount":0.05}},
  {"id":"n","type":"noop"}],
 "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"n"}]})";

std::vector<std::string> promoting(const ServerProcess& server, const PostgresServer& database) {
  return {"promote", "--to", database.url(), "--server",
          "http://127.0.0.1:" + std::to_string(server.port())};
}

bool stands_on_postgres(int port) {
  return await(30, [&] {
    return request(port, "GET", "/api/v1/system/promotion").body.get("store") == Value("postgres");
  });
}

TEST(PromoteChaos, server_under_load_moves_and_goes_on_with_everything_it_answered) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data");
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", waiting_workflow).status, 300);
  Load load(server.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return load.answered().size() > 100; })) << server.log();
  Ran moved = run_fermata(promoting(server, database));
  EXPECT_EQ(moved.code, 0) << moved.output << server.log();
  EXPECT_NE(moved.output.find("things moved"), std::string::npos) << moved.output;
  size_t before = load.answered().size();
  EXPECT_TRUE(await(20, [&] { return load.answered().size() > before + 20; })) << server.log();
  load.stop();
  EXPECT_TRUE(stands_on_postgres(server.port()));
  std::vector<std::string> answered = load.answered();
  EXPECT_EQ(std::set<std::string>(answered.begin(), answered.end()).size(), answered.size());
  for (const std::string& id : answered) {
    ASSERT_EQ(await_completed(server.port(), id), "") << server.log();
    ASSERT_EQ(terminal_events(server.port(), id), 1u) << id;
  }
  EXPECT_EQ(server.stop_softly(), 0) << server.log();

  // The directory serves no more and says where to go.
  Ran refused = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data", server.data()});
  EXPECT_EQ(refused.code, 5) << refused.output;
  EXPECT_NE(refused.output.find("has moved to " + database.url()), std::string::npos)
      << refused.output;
  // Another server goes on where this one stopped.
  ServerProcess next(directory.path() / "next", {"--store", database.url()});
  ASSERT_TRUE(next.start()) << next.log();
  EXPECT_EQ(request(next.port(), "GET", "/api/v1/executions/" + answered.front()).status, 200);
  EXPECT_EQ(next.stop_softly(), 0) << next.log();
}

TEST(PromoteChaos, server_killed_while_it_moves_starts_again_where_the_truth_is) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  std::filesystem::path data = directory.path() / "data";
  auto server = std::make_unique<ServerProcess>(data);
  ASSERT_TRUE(server->start()) << server->log();
  ASSERT_LT(request(server->port(), "PUT", "/api/v1/workflows/chaos", waiting_workflow).status,
            300);
  std::vector<std::string> answered;
  {
    Load load(server->port(), "{}");
    ASSERT_TRUE(await(20, [&] { return load.answered().size() > 50; })) << server->log();
    std::string body = "{\"to\":\"" + database.url() + "\"}";
    ASSERT_EQ(request(server->port(), "POST", "/api/v1/system/promotion", body).status, 202);
    server->kill_hard();
    load.stop();
    answered = load.answered();
  }
  server->launch();
  bool on_file = await(10, [&] { return request(server->port(), "GET", "/readyz").status == 200; });
  if (on_file) {
    Ran moved = run_fermata(promoting(*server, database));
    EXPECT_EQ(moved.code, 0) << moved.output << server->log();
  } else {
    EXPECT_NE(server->log().find("has moved to"), std::string::npos) << server->log();
    run_fermata({"promote", "--to", database.url(), "--data", data});
    server =
        std::make_unique<ServerProcess>(data, std::vector<std::string>{"--store", database.url()});
    ASSERT_TRUE(server->start()) << server->log();
  }
  ASSERT_TRUE(stands_on_postgres(server->port())) << server->log();
  for (const std::string& id : answered) {
    ASSERT_EQ(await_completed(server->port(), id), "") << server->log();
    ASSERT_EQ(terminal_events(server->port(), id), 1u) << id;
  }
  EXPECT_EQ(server->stop_softly(), 0) << server->log();
}

TEST(PromoteChaos, wrong_address_is_told_and_the_server_goes_on) {
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data", {"--postgres-reach-ms", "200"});
  ASSERT_TRUE(server.start()) << server.log();
  std::string at = "http://127.0.0.1:" + std::to_string(server.port());
  Ran absent =
      run_fermata({"promote", "--to", "postgres://fermata:s3cret@127.0.0.1:1/x", "--server", at});
  EXPECT_EQ(absent.code, 5) << absent.output;
  EXPECT_NE(absent.output.find("127.0.0.1:1"), std::string::npos) << absent.output;
  EXPECT_EQ(absent.output.find("s3cret"), std::string::npos) << absent.output;
  EXPECT_EQ(server.log().find("s3cret"), std::string::npos) << server.log();
  Ran other = run_fermata({"promote", "--to", "mysql://db", "--server", at});
  EXPECT_EQ(other.code, 2) << other.output;
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", waiting_workflow).status, 300);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
}

// C-4: the first key of a store in PostgreSQL is made without a server, and the hint names the way.
TEST(PostgresKeys, first_key_is_made_on_the_store_itself) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  {
    ServerProcess hinting(directory.path() / "first", {"--store", database.url()});
    ASSERT_TRUE(hinting.start()) << hinting.log();
    EXPECT_NE(hinting.log().find("fermata keys create --store '" + database.url()),
              std::string::npos)
        << hinting.log();
    Ran busy = run_fermata({"keys", "create", "--role", "root", "--store", database.url()});
    EXPECT_EQ(busy.code, 5) << busy.output;
    EXPECT_NE(busy.output.find("a server uses this store"), std::string::npos) << busy.output;
    EXPECT_EQ(hinting.stop_softly(), 0);
  }
  Ran made = run_fermata({"keys", "create", "--role", "root", "--store", database.url(), "--json"});
  ASSERT_EQ(made.code, 0) << made.output;
  ServerProcess server(directory.path() / "second", {"--store", database.url()});
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_EQ(request(server.port(), "GET", "/api/v1/executions").status, 401);
  size_t from = made.output.find("\"key\"");
  ASSERT_NE(from, std::string::npos) << made.output;
  from = made.output.find('"', made.output.find(':', from)) + 1;
  std::string key = made.output.substr(from, made.output.find('"', from) - from);
  EXPECT_EQ(
      request(server.port(), "GET", "/api/v1/executions", "", {{"Authorization", "Bearer " + key}})
          .status,
      200);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
}

}  // namespace
}  // namespace fermata::test
