#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "test/broker/broker_client.h"
#include "test/broker/broker_process.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"

/// A real server beside a real RabbitMQ, with a master that sends starts and consumers that read
/// (C-6, C-217, C-219, C-220, C-222, C-224, C-225).
namespace fermata::test {
namespace {

constexpr const char* definition = R"({"nodes":[
    {"id":"t","name":"Start","type":"manual","trigger":true},
    {"id":"e","name":"Note","type":"edit",
     "parameters":{"assignments":[{"name":"seen","value":"yes"}]}},
    {"id":"n","name":"Done","type":"noop"}],
   "edges":[{"id":"1","src":"t","dst":"e"},{"id":"2","src":"e","dst":"n"}]})";

std::string start_message(const std::string& run) {
  return R"({"workflow_id":"wf_1","execution_id":")" + run +
         R"(","current_node":"t","accumulated_context":{},"workflow_definition":)" + definition +
         "}";
}

struct RabbitChaos : testing::Test {
  TemporaryDirectory directory;
  BrokerProcess broker;

  std::vector<std::string> serving(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--bus", broker.url()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Value execution(ServerProcess& server, const std::string& id) {
    return request(server.port(), "GET", "/api/v1/executions/" + id).body;
  }
  static Value ready(ServerProcess& server) {
    return request(server.port(), "GET", "/readyz").body;
  }
  /// A master: sends until the broker has confirmed, over new connections where it must.
  void send_surely(std::unique_ptr<BrokerClient>& client, const std::string& body,
                   const std::string& id) {
    auto sent = [&] {
      if (!client || !client->connected())
        client = std::make_unique<BrokerClient>(broker.address());
      if (!client->connected()) return false;
      if (client->send("workflow.execution", body, id)) return true;
      client.reset();
      return false;
    };
    EXPECT_TRUE(await(120, sent)) << id;
  }
  struct Heard {
    std::map<std::string, std::set<std::string>> completions;       ///< message ids by run
    std::map<std::string, std::vector<uint64_t>> status_sequences;  ///< by run
  };
  /// Reads completions and statuses until that many runs have completed.
  void listen(BrokerClient& client, size_t runs, Heard& heard) {
    auto all = [&] {
      while (auto message = client.take("workflow.node.status")) {
        std::string run(parse_json(message->body)->get("execution_id").as_string());
        heard.status_sequences[run].push_back(
            std::stoull(*find_header(message->headers, "x-fermata-sequence")));
      }
      while (auto message = client.take("workflow.completion")) {
        std::string run(parse_json(message->body)->get("execution_id").as_string());
        heard.completions[run].insert(message->message_id);
      }
      return heard.completions.size() >= runs;
    };
    EXPECT_TRUE(await(180, all)) << heard.completions.size() << " of " << runs;
  }
};

// C-217, C-220, C-66
TEST_F(RabbitChaos, starts_that_come_twice_and_a_broker_that_is_killed_make_one_run_each) {
  ASSERT_TRUE(broker.start()) << broker.log();
  ServerProcess server(directory.path() / "data", serving());
  ASSERT_TRUE(server.start()) << server.log();
  constexpr int runs = 1'000;
  std::unique_ptr<BrokerClient> master;
  for (int i = 0; i < runs; ++i) {
    std::string run = "r" + std::to_string(i);
    for (int twice = 0; twice < 2; ++twice) send_surely(master, start_message(run), "m-" + run);
    if (i == runs / 2) {
      broker.kill_hard();
      EXPECT_TRUE(await(30, [&] { return ready(server).get("degraded").size() == 1; }));
      EXPECT_EQ(ready(server).get("degraded").items()[0], Value("rabbitmq"));
      ASSERT_TRUE(broker.start()) << broker.log();
    }
  }
  EXPECT_TRUE(await(60, [&] { return !ready(server).find("degraded"); }));
  BrokerClient consumer(broker.address());
  ASSERT_TRUE(consumer.connected());
  Heard heard;
  listen(consumer, runs, heard);
  ASSERT_EQ(heard.completions.size(), static_cast<size_t>(runs));
  for (int i = 0; i < runs; ++i) {
    std::string run = "r" + std::to_string(i);
    EXPECT_EQ(heard.completions[run].size(), 1u) << run;
    std::vector<uint64_t> firsts;
    for (uint64_t sequence : heard.status_sequences[run])
      if (std::find(firsts.begin(), firsts.end(), sequence) == firsts.end())
        firsts.push_back(sequence);
    EXPECT_EQ(firsts.size(), 3u) << run;
    EXPECT_TRUE(std::is_sorted(firsts.begin(), firsts.end())) << run;
  }
  for (int i = 0; i < runs; i += 97) {
    std::string run = "r" + std::to_string(i);
    EXPECT_EQ(execution(server, run).get("status"), Value("completed"));
    EXPECT_EQ(terminal_events(server.port(), run), 1u);
  }
  EXPECT_EQ(consumer.ready("workflow.dead"), 0u);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  EXPECT_EQ(server.log().find("guest:guest"), std::string::npos) << "a password was logged";
}

// C-219, C-221
TEST_F(RabbitChaos, server_that_is_killed_goes_on_with_its_outbox_and_takes_nothing_twice) {
  ASSERT_TRUE(broker.start()) << broker.log();
  ServerProcess server(directory.path() / "data", serving());
  ASSERT_TRUE(server.start()) << server.log();
  constexpr int runs = 200;
  std::unique_ptr<BrokerClient> master;
  for (int i = 0; i < runs; ++i) {
    std::string run = "k" + std::to_string(i);
    send_surely(master, start_message(run), "m-" + run);
    if (i % 50 == 25) {
      server.kill_hard();
      ASSERT_TRUE(server.start()) << server.log();
    }
  }
  BrokerClient consumer(broker.address());
  Heard heard;
  listen(consumer, runs, heard);
  for (const auto& [run, ids] : heard.completions) EXPECT_EQ(ids.size(), 1u) << run;
  for (int i = 0; i < runs; i += 23)
    EXPECT_EQ(terminal_events(server.port(), "k" + std::to_string(i)), 1u);
}

// C-4, C-52, C-221: the first node of the two is not there at all.
TEST_F(RabbitChaos, executions_end_while_the_broker_is_away_and_are_told_of_afterwards) {
  ASSERT_TRUE(broker.start()) << broker.log();
  ServerProcess server(directory.path() / "data",
                       {"--bus", "amqp://guest:guest@127.0.0.1:1," + broker.url(),
                        "--rabbitmq-outbox-alert", "100"});
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/w", definition).status, 300);
  broker.kill_hard();
  constexpr int runs = 200;
  std::vector<std::string> started;
  for (int i = 0; i < runs; ++i) {
    HttpReply reply = request(server.port(), "POST", "/api/v1/workflows/w/executions", "{}");
    ASSERT_EQ(reply.status, 201) << to_json(reply.body);
    started.emplace_back(reply.body.get("id").as_string());
  }
  for (const std::string& run : started) EXPECT_EQ(await_completed(server.port(), run), "");
  EXPECT_TRUE(await(30, [&] {
    return server.log().find("Many messages wait for RabbitMQ") != std::string::npos;
  })) << server.log();
  ASSERT_TRUE(broker.start()) << broker.log();
  BrokerClient consumer(broker.address());
  Heard heard;
  listen(consumer, runs, heard);
  for (const std::string& run : started) EXPECT_EQ(heard.completions[run].size(), 1u) << run;
}

// C-222
TEST_F(RabbitChaos, bad_messages_are_dead_letters_and_the_queue_goes_on) {
  ASSERT_TRUE(broker.start()) << broker.log();
  ServerProcess server(directory.path() / "data", serving());
  ASSERT_TRUE(server.start()) << server.log();
  BrokerClient client(broker.address());
  ASSERT_TRUE(client.send("workflow.execution", "{not json", "bad1"));
  ASSERT_TRUE(client.send("workflow.execution", R"({"workflow_id":"w"})", "bad2"));
  ASSERT_TRUE(client.send("workflow.execution", "\"" + std::string(5 << 20, 'x') + "\"", "bad3"));
  ASSERT_TRUE(client.send("workflow.execution",
                          R"({"workflow_id":"w","execution_id":"f1","current_node":"a",
                              "workflow_definition":{"nodes":[{"id":"a","type":"nonsense"}],
                              "edges":[]}})",
                          "bad4"));
  ASSERT_TRUE(client.send("workflow.execution", start_message("good"), "m1"));
  std::map<std::string, std::string> ends;
  for (int i = 0; i < 2; ++i) {
    auto completion = client.await("workflow.completion");
    ASSERT_TRUE(completion) << server.log();
    Value body = *parse_json(completion->body);
    ends[std::string(body.get("execution_id").as_string())] = body.get("status").as_string();
  }
  EXPECT_EQ(ends["good"], "completed");
  EXPECT_EQ(ends["f1"], "failed");
  std::map<std::string, std::string> dead;
  for (int i = 0; i < 3; ++i) {
    auto copy = client.await("workflow.dead");
    ASSERT_TRUE(copy) << i;
    const std::string* reason = find_header(copy->headers, "x-fermata-reason");
    dead[copy->message_id] = reason ? *reason : "";
  }
  EXPECT_EQ(dead["bad1"], "not_json");
  EXPECT_EQ(dead["bad2"], "execution_id_missing");
  EXPECT_EQ(dead["bad3"], "too_large");
  Value letters = request(server.port(), "GET", "/api/v1/dlq").body.get("items");
  EXPECT_EQ(letters.size(), 3u) << to_json(letters);
}

// C-6, C-225
TEST_F(RabbitChaos, queue_of_another_type_stops_the_start_with_the_ways_out) {
  ASSERT_TRUE(broker.start()) << broker.log();
  BrokerClient other(broker.address());
  other.declare_plain("workflow.execution");
  Ran ran = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data",
                         (directory.path() / "data").string(), "--bus", broker.url()});
  EXPECT_EQ(ran.code, 2) << ran.output;
  for (const char* word : {"workflow.execution", "classic", "quorum", "rabbitmq.queue_type",
                           "rune_compat", "delete it"})
    EXPECT_NE(ran.output.find(word), std::string::npos) << word << " in " << ran.output;
  // The other side declared first, as Rune's parts do: that is what rune_compat is for (C-224).
  ServerProcess server(directory.path() / "data", serving({"--rabbitmq-rune-compat"}));
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_TRUE(other.send("workflow.execution", start_message("good"), "m1"));
  auto completion = other.await("workflow.completion");
  ASSERT_TRUE(completion) << server.log();
  EXPECT_EQ(parse_json(completion->body)->get("status"), Value("completed"));
}

// C-6
TEST_F(RabbitChaos, broker_that_does_not_answer_is_named_and_its_password_is_not) {
  std::string url = broker.url();
  url.replace(url.find("guest:guest"), 11, "ann:s3cr3t");
  Ran ran = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data",
                         (directory.path() / "data").string(), "--bus", url,
                         "--rabbitmq-connect-seconds", "1"});
  EXPECT_EQ(ran.code, 5) << ran.output;
  EXPECT_NE(ran.output.find("RabbitMQ at amqp://127.0.0.1:"), std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("s3cr3t"), std::string::npos) << ran.output;
  Ran shown = run_fermata({"serve", "--print-config", "--bus", url});
  EXPECT_EQ(shown.output.find("s3cr3t"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("amqp://(hidden)@127.0.0.1"), std::string::npos) << shown.output;
}

}  // namespace
}  // namespace fermata::test
