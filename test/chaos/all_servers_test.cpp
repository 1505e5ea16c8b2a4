#include <gtest/gtest.h>

#include "base/json.h"
#include "test/broker/broker_client.h"
#include "test/broker/broker_process.h"
#include "test/chaos/cap_worker.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"
#include "test/postgres/postgres_server.h"
#include "test/support/redis_process.h"

/// Everything at once: PostgreSQL keeps, Redis wakes, RabbitMQ starts and feeds, a worker of NATS
/// does the job, two servers decide, and each of them is killed while executions are under way.
namespace fermata::test {
namespace {

/// `b` is done elsewhere: its token comes to the barrier by a message.
constexpr const char* definition = R"({"nodes":[
    {"id":"t","name":"Start","type":"manual","trigger":true},
    {"id":"c","name":"Where","type":"conditional",
     "parameters":{"expression":"{{ 1 < 2 }}","true_edge_id":"2","false_edge_id":"3"}},
    {"id":"w","name":"Pause","type":"wait","parameters":{"amount":2,"unit":"seconds"}},
    {"id":"b","name":"Elsewhere","type":"noop"},
    {"id":"m","name":"Join","type":"merge","parameters":{"timeout":600}},
    {"id":"j","name":"Pay","type":"job","parameters":{"topic":"job.pay","input":{"amount":12}},
     "retry":{"max_attempts":20,"backoff_ms":100,"max_backoff_ms":500}},
    {"id":"n","name":"Done","type":"noop"}],
   "edges":[{"id":"1","src":"t","dst":"c"},{"id":"2","src":"c","dst":"w"},
            {"id":"3","src":"c","dst":"b"},{"id":"4","src":"w","dst":"m"},
            {"id":"5","src":"b","dst":"m"},{"id":"6","src":"m","dst":"j"},
            {"id":"7","src":"j","dst":"n"}]})";

std::string message(const std::string& run, const std::string& at, const std::string& from) {
  std::string out = R"({"workflow_id":"wf_1","execution_id":")" + run + R"(","current_node":")" +
                    at + R"(","is_worker_initiated":true,"accumulated_context":{})";
  if (!from.empty()) out += R"(,"from_node":")" + from + "\"";
  return out + R"(,"workflow_definition":)" + definition + "}";
}

class AllServers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(NatsTestServer::installed()) << "the package nats-server is needed";
    broker.launch();
    ASSERT_TRUE(database.start()) << database.log();
    ASSERT_TRUE(redis.start());
    ASSERT_TRUE(nats.start());
    ASSERT_TRUE(broker.await()) << broker.log();
    for (int i = 0; i < 2; ++i)
      servers.push_back(std::make_unique<ServerProcess>(
          directory.path() / std::to_string(i),
          std::vector<std::string>{"--store", database.url(), "--timers", redis.url(), "--leases",
                                   redis.url(), "--bus", broker.url() + "," + nats.url(),
                                   "--postgres-lease-ms", "3000", "--jobs-lease-ms", "5000"}));
    ASSERT_TRUE(servers[0]->start()) << servers[0]->log();
    servers[1]->launch();
  }
  /// Whoever answers.
  Value get(const std::string& path) {
    HttpReply reply;
    await(60, [&] {
      for (const auto& server : servers) {
        reply = request(server->port(), "GET", "/api/v1" + path);
        if (reply.status == 200 || reply.status == 404) return true;
      }
      return false;
    });
    return reply.body;
  }
  std::string status_of(const std::string& run) {
    Value status = get("/executions/" + run).get("status");
    return status.is_string() ? std::string(status.as_string()) : "";
  }
  size_t told(const std::string& run, const std::string& type) {
    size_t count = 0;
    Value history = get("/executions/" + run + "/history?limit=1000");
    for (const Value& event : history.get("items").items())
      count += event.get("type") == Value(type);
    return count;
  }
  /// A master that sends until the broker has it; every message twice.
  void send(const std::string& body, const std::string& id) {
    for (int twice = 0; twice < 2; ++twice) {
      auto sent = [&] {
        if (!master || !master->connected())
          master = std::make_unique<BrokerClient>(broker.address());
        if (master->connected() && master->send("workflow.execution", body, id)) return true;
        master.reset();
        return false;
      };
      ASSERT_TRUE(await(120, sent)) << id;
    }
  }
  /// Kills it in the middle of something and brings it back.
  void kill(const std::string& victim) {
    if (victim == "rabbitmq") {
      broker.kill_hard();
      ASSERT_TRUE(broker.start()) << broker.log();
    } else if (victim == "redis") {
      redis.kill_hard();
      ASSERT_TRUE(redis.start());
    } else if (victim == "nats") {
      nats.kill_hard();
      ASSERT_TRUE(nats.start());
    } else if (victim == "postgres") {
      database.kill_hard();
      ASSERT_TRUE(database.start()) << database.log();
    } else {
      // The one that leads, or had done most: the other goes on.
      size_t at = next_server++ % servers.size();
      servers[at]->kill_hard();
      servers[at]->launch();
    }
  }

  TemporaryDirectory directory;
  PostgresServer database;
  RedisProcess redis;
  BrokerProcess broker;
  NatsTestServer nats;
  std::vector<std::unique_ptr<ServerProcess>> servers;
  std::unique_ptr<BrokerClient> master;
  size_t next_server = 0;
};

// C-1, C-56, C-58, C-120, C-219: started through RabbitMQ, waiting in Redis, joined by another
// message, its job done over NATS, finished once.
TEST_F(AllServers, execution_finishes_once_while_each_of_them_is_killed_in_turn) {
  CapWorker worker(nats.url(), "cw", 600);
  constexpr int runs_each = 3;
  std::vector<std::string> runs;
  for (const std::string victim : {"rabbitmq", "redis", "nats", "postgres", "fermata", "fermata"}) {
    SCOPED_TRACE(victim);
    std::vector<std::string> mine;
    for (int i = 0; i < runs_each; ++i) {
      std::string run = victim + "-" + std::to_string(runs.size());
      send(message(run, "t", ""), "start " + run);
      mine.push_back(run);
      runs.push_back(run);
    }
    ASSERT_TRUE(await(60, [&] { return status_of(mine.back()) == "waiting"; }));
    // While they wait.
    kill(victim);
    for (const std::string& run : mine) send(message(run, "m", "b"), "b of " + run);
    // While their jobs are being done.
    EXPECT_TRUE(await(90, [&] { return worker.busy(); })) << "nobody got a job";
    kill(victim);
    for (const std::string& run : mine)
      EXPECT_TRUE(await(180, [&] { return status_of(run) == "completed"; }))
          << run << " is " << status_of(run) << "\n"
          << to_json(get("/executions/" + run + "/history?limit=1000"));
    if (HasFailure()) break;
  }
  for (const std::string& run : runs) {
    EXPECT_EQ(told(run, "RunCompleted"), 1u) << run;
    EXPECT_EQ(told(run, "WaitResumed"), 1u) << run;
    EXPECT_EQ(told(run, "MergeOpened"), 1u) << run;
    EXPECT_EQ(told(run, "TokensArrived"), 2u) << run;
    Value jobs = get("/jobs?run_id=" + run).get("items");
    ASSERT_EQ(jobs.size(), 1u) << run;
    std::string job(jobs.items()[0].get("id").as_string());
    size_t succeeded = 0;
    Value history = get("/jobs/" + job + "/history");
    for (const Value& event : history.get("items").items())
      succeeded += event.get("type") == Value("JobSucceeded");
    EXPECT_EQ(succeeded, 1u) << run << to_json(history);
  }
  // One completion each, under one id however often it was published.
  std::map<std::string, std::set<std::string>> completions;
  BrokerClient consumer(broker.address());
  EXPECT_TRUE(await(
      60,
      [&] {
        while (auto found = consumer.take("workflow.completion"))
          completions[std::string(parse_json(found->body)->get("execution_id").as_string())].insert(
              found->message_id);
        return completions.size() == runs.size();
      }))
      << completions.size() << " of " << runs.size();
  for (const auto& [run, ids] : completions) EXPECT_EQ(ids.size(), 1u) << run;
  EXPECT_EQ(consumer.ready("workflow.dead"), 0u);
  EXPECT_EQ(get("/dlq").get("items").size(), 0u);
}

}  // namespace
}  // namespace fermata::test
