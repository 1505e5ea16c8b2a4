#include "test/partition/message_fixture.h"

/// Tokens that other programs send to executions that are known, or that begin in the middle of a
/// workflow (C-56 to C-60).
namespace fermata {
namespace {

std::string text_in(const Value& body, const char* field) {
  return std::string(body.get(field).as_string());
}

class Arrivals : public Messages {
 protected:
  /// Two ways and an aggregator come together at a barrier.
  inline static const std::string joined = R"({"nodes":[
      {"id":"t","name":"Start","type":"manual","trigger":true},
      {"id":"a","name":"A","type":"noop"},
      {"id":"b","name":"B","type":"noop"},
      {"id":"m","name":"Join","type":"merge","parameters":{"timeout":60}},
      {"id":"n","name":"Done","type":"noop"}],
     "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"b"},
              {"id":"3","src":"a","dst":"m"},{"id":"4","src":"b","dst":"m"},
              {"id":"5","src":"m","dst":"n"}]})";
  inline static const std::string fanned = R"({"nodes":[
      {"id":"t","name":"Start","type":"manual","trigger":true},
      {"id":"s","name":"Each","type":"split","parameters":{"input_array":"$input.list"}},
      {"id":"e","name":"Note","type":"edit",
       "parameters":{"assignments":[{"name":"got","value":"{{ $item.n }}"}]}},
      {"id":"g","name":"All","type":"aggregator","parameters":{"timeout":60}},
      {"id":"n","name":"Done","type":"noop"}],
     "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"e"},
              {"id":"3","src":"e","dst":"g"},{"id":"4","src":"g","dst":"n"}],
     "result":"$All.aggregated"})";

  struct Sent {
    std::string at;
    std::string from{};
    std::string context = "{}";
    std::string lineage{};
  };
  static std::string message(const std::string& run, const std::string& document,
                             const Sent& sent) {
    std::string out = R"({"workflow_id":"wf_1","execution_id":")" + run + R"(","current_node":")" +
                      sent.at + R"(","accumulated_context":)" + sent.context;
    if (!sent.from.empty()) out += R"(,"from_node":")" + sent.from + "\"";
    if (!sent.lineage.empty()) out += R"(,"lineage_stack":)" + sent.lineage;
    if (!document.empty()) out += R"(,"workflow_definition":)" + document;
    return out + "}";
  }
  void arrive(const std::string& run, const std::string& document, const Sent& sent,
              const std::string& id) {
    send("workflow.execution", message(run, document, sent), id);
  }
  static std::string frame(int item, int total, const std::string& split = "s") {
    return R"([{"split_node_id":")" + split + R"(","branch_id":"x","item_index":)" +
           std::to_string(item) + R"(,"total_items":)" + std::to_string(total) + "}]";
  }
  std::set<std::string> reasons() {
    std::set<std::string> out;
    for (const DeadLetterEntry& entry : letters()) out.insert(entry.letter.reason_code);
    return out;
  }
  /// How often a node was told of with that status.
  int told_as(const std::vector<Value>& statuses, const char* node, const char* status) {
    int count = 0;
    for (const Value& one : statuses)
      if (one.get("node_id") == Value(node) && one.get("status") == Value(status)) ++count;
    return count;
  }
};

// C-56, C-58, C-218: either comes first, each twice; the barrier waits for both and opens once.
TEST_F(Arrivals, barrier_waits_for_both_in_either_order_and_opens_once) {
  for (bool first : {true, false}) {
    std::string run = first ? "r1" : "r2";
    Sent a{"m", "a", R"({"$A":{"v":1},"$json":{"v":1}})"};
    Sent b{"m", "b", R"({"$B":{"v":2},"$json":{"v":2}})"};
    for (int twice = 0; twice < 2; ++twice) arrive(run, joined, first ? a : b, run + "first");
    settle_all();
    ASSERT_EQ(status_of(run), RunStatus::waiting) << "more may come";
    for (int twice = 0; twice < 2; ++twice) arrive(run, joined, first ? b : a, run + "second");
    settle_all();
    ASSERT_EQ(status_of(run), RunStatus::completed);
    arrive(run, joined, b, run + "late");
    settle_all();
    auto statuses = taken("workflow.node.status");
    EXPECT_EQ(told_as(statuses, "m", "success"), 1);
    EXPECT_EQ(told_as(statuses, "n", "success"), 1);
    EXPECT_EQ(told_as(statuses, "a", "success"), 0) << "that ran elsewhere";
    ASSERT_EQ(taken("workflow.completion").size(), 1u);
  }
  EXPECT_TRUE(letters().empty());
  EXPECT_EQ(receiver->passed_by_reason().at("run_finished"), 2u);
}

// C-218: both are in the queue before the first is taken, so neither finds a run.
TEST_F(Arrivals, those_that_come_at_once_begin_one_execution) {
  arrive("r1", joined, {"m", "b"}, "b");
  arrive("r1", joined, {"m", "a"}, "a");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
  EXPECT_EQ(taken("workflow.worker.initiated").size(), 1u);
  EXPECT_EQ(taken("workflow.completion").size(), 1u);
}

// C-58: nobody sends the other one.
TEST_F(Arrivals, barrier_that_is_fed_waits_until_its_timeout) {
  arrive("r1", joined, {"m", "a"}, "a");
  settle_all();
  clock.advance(Duration{59'999});
  settle_all();
  ASSERT_EQ(status_of("r1"), RunStatus::waiting);
  clock.advance(Duration{1});
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::failed);
  auto statuses = taken("workflow.node.status");
  EXPECT_EQ(told_as(statuses, "m", "failed"), 1);
}

// C-56: a token joins what the execution does by itself.
TEST_F(Arrivals, execution_that_runs_here_takes_a_token_from_outside) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  ASSERT_EQ(status_of("r1"), RunStatus::waiting);
  arrive("r1", definition, {"n", "w", R"({"$Pause":{"early":true}})"}, "m2");
  settle_all();
  ASSERT_EQ(status_of("r1"), RunStatus::waiting) << "its own token still waits";
  EXPECT_EQ(told_as(taken("workflow.node.status"), "n", "success"), 1);
  clock.advance(Duration{3'600'000});
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
  EXPECT_EQ(told_as(taken("workflow.node.status"), "n", "success"), 1) << "a second visit";
  EXPECT_EQ(taken("workflow.completion").size(), 1u);
}

// C-56
TEST_F(Arrivals, edge_or_definition_that_the_execution_has_not_is_a_dead_letter) {
  arrive("r1", joined, {"m", "a"}, "a");
  settle_all();
  arrive("r1", joined, {"m", "t"}, "no edge");
  arrive("r1", joined, {"m", "nobody"}, "no node");
  arrive("r1", definition, {"n", "w"}, "other definition");
  arrive("r1", joined, {"nowhere"}, "no such node");
  settle_all();
  EXPECT_EQ(reasons(),
            (std::set<std::string>{"edge_unknown", "definition_mismatch", "node_unknown"}));
  ASSERT_EQ(status_of("r1"), RunStatus::waiting);
  arrive("r1", "", {"m", "b"}, "without its definition");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
}

// C-56: a master that is not sure tells of its start under another id.
TEST_F(Arrivals, start_that_is_told_of_under_another_id_starts_nothing) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  send("workflow.execution", start_message("r1"), "m2");
  settle_all();
  EXPECT_EQ(taken("workflow.worker.initiated").size(), 1u);
  EXPECT_EQ(told_as(taken("workflow.node.status"), "t", "success"), 1);
  EXPECT_TRUE(letters().empty());
  EXPECT_EQ(receiver->passed_by_reason().at("started_already"), 1u);
}

// C-56, C-214: the items of a split that others have run, in any order and twice.
TEST_F(Arrivals, items_of_a_split_come_from_outside_in_any_order) {
  for (int item : {2, 0, 1}) {
    std::string context =
        R"({"$item":{"n":)" + std::to_string(item * 10) + R"(},"$Start":{"x":1}})";
    for (int twice = 0; twice < 2; ++twice)
      arrive("r1", fanned, {"e", "s", context, frame(item, 3)}, "item" + std::to_string(item));
    settle_all();
    if (item == 1) break;
    ASSERT_EQ(status_of("r1"), RunStatus::waiting) << item;
    arrive("r1", fanned, {"e", "s", "{}", frame(item, 3)}, "late" + std::to_string(item));
    settle_all();
  }
  ASSERT_EQ(status_of("r1"), RunStatus::completed);
  auto completions = taken("workflow.completion");
  ASSERT_EQ(completions.size(), 1u);
  Value gathered = completions[0].get("final_context").get("output");
  ASSERT_EQ(gathered.size(), 3u) << to_json(completions[0]);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(gathered.items()[static_cast<size_t>(i)].get("got"), Value(i * 10));
  EXPECT_EQ(told_as(taken("workflow.node.status"), "g", "success"), 1);
  EXPECT_TRUE(letters().empty());
  EXPECT_EQ(receiver->passed_by_reason().at("activation_closed"), 2u) << "branches had ended";
}

// C-56: those that never come are the aggregator's business.
TEST_F(Arrivals, items_that_are_not_sent_are_waited_for_until_the_timeout) {
  arrive("r1", fanned, {"e", "s", "{}", frame(0, 2)}, "one");
  settle_all();
  ASSERT_EQ(status_of("r1"), RunStatus::waiting);
  clock.advance(Duration{60'000});
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::failed);
}

TEST_F(Arrivals, lineage_that_does_not_fit_is_a_dead_letter) {
  arrive("r1", fanned, {"e", "s", "{}", frame(3, 3)}, "beyond");
  arrive("r2", fanned, {"e", "s", "{}", frame(0, 3, "e")}, "no split");
  arrive("r3", fanned, {"e", "s", "{}", frame(0, 3)}, "first");
  arrive("r3", fanned, {"e", "s", "{}", frame(1, 4)}, "other count");
  arrive("r4", fanned, {"e", "s", "{}", frame(0, 1'000'000'000)}, "many");
  settle_all();
  EXPECT_EQ(reasons(), (std::set<std::string>{"lineage_invalid"}));
  EXPECT_EQ(letters().size(), 4u);
  EXPECT_FALSE(exists("r1"));
  EXPECT_FALSE(exists("r4"));
}

// C-57: the wait was opened by somebody else.
TEST_F(Arrivals, resume_of_a_wait_that_was_never_open_goes_on_behind_it) {
  send("workflow.resume", message("r1", definition, {"w", "", R"({"$Note":{"seen":"yes"}})"}),
       "m1");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
  auto statuses = taken("workflow.node.status");
  EXPECT_EQ(told_as(statuses, "n", "success"), 1);
  EXPECT_EQ(told_as(statuses, "w", "success"), 0);
}

// C-57: one that has ended is not gone on behind a second time.
TEST_F(Arrivals, resume_of_a_wait_that_has_ended_changes_nothing) {
  std::string two_waits = definition;
  two_waits.replace(two_waits.find(R"("type":"noop")"), 13,
                    R"("type":"wait","parameters":{"amount":1,"unit":"hours"})");
  send("workflow.execution", message("r1", two_waits, {"t"}), "m1");
  settle_all();
  send("workflow.resume", message("r1", two_waits, {"w"}), "m2");
  settle_all();
  send("workflow.resume", message("r1", two_waits, {"w"}), "m3");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::waiting);
  EXPECT_EQ(told_as(taken("workflow.node.status"), "n", "waiting"), 1);
  EXPECT_EQ(receiver->passed_by_reason().at("wait_ended"), 1u);
}

// C-57: an older backup was restored, and what it had sent comes back.
TEST_F(Arrivals, message_of_our_own_for_an_unknown_execution_is_an_orphan) {
  BusMessage message{0, "workflow.execution", "m1", start_message("r1")};
  message.headers.emplace_back("x-fermata-origin", "fermata");
  memory_bus.send("workflow.execution", message);
  settle_all();
  EXPECT_EQ(reasons(), (std::set<std::string>{"orphan"}));
  EXPECT_FALSE(exists("r1"));
}

/// Every step is a message.
class Hops : public Arrivals {
 protected:
  Hops() {
    settings.limits.hops = AccountId("acme");
    begin({AccountId("acme"), false}, 1);
  }
  /// Takes what was sent for next steps, as a broker would hold it.
  std::vector<BusMessage> steps() {
    std::vector<BusMessage> out = memory_bus.take("workflow.execution");
    for (BusMessage& message : out) message.headers.emplace_back("x-fermata-origin", "fermata");
    return out;
  }
};

// C-60, C-226: each is lost once, sent again, and then delivered twice.
TEST_F(Hops, step_that_is_lost_is_sent_again_and_one_that_is_doubled_is_taken_once) {
  send("workflow.execution", start_message("r1"), "m1");
  std::set<std::string> lost;
  std::vector<std::string> went;
  for (int turn = 0; turn < 40 && status_of("r1") != RunStatus::completed; ++turn) {
    settle_all();
    std::vector<BusMessage> sent = steps();
    for (const BusMessage& message : sent) {
      if (lost.insert(*find_header(message.headers, "x-fermata-token")).second) continue;
      Value body = *parse_json(message.body);
      went.push_back(text_in(body, "from_node") + text_in(body, "current_node"));
      for (int twice = 0; twice < 2; ++twice) memory_bus.send("workflow.execution", message);
    }
    if (sent.empty()) clock.advance(Duration{3'600'000});
  }
  ASSERT_EQ(status_of("r1"), RunStatus::completed);
  EXPECT_EQ(lost.size(), 3u);
  EXPECT_EQ(went, (std::vector<std::string>{"te", "ew", "wn"}));
  settle_all();
  auto statuses = taken("workflow.node.status");
  for (const char* node : {"t", "e", "w", "n"}) EXPECT_EQ(told_as(statuses, node, "success"), 1);
  EXPECT_EQ(taken("workflow.completion").size(), 1u);
  EXPECT_TRUE(letters().empty());
}

// C-60: a step is not gone by anybody but the token it names.
TEST_F(Hops, step_waits_for_its_message) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  auto statuses = taken("workflow.node.status");
  EXPECT_EQ(told_as(statuses, "t", "success"), 1);
  EXPECT_EQ(told_as(statuses, "e", "success"), 0);
  std::vector<BusMessage> sent = steps();
  ASSERT_EQ(sent.size(), 1u);
  for (auto& [name, value] : sent[0].headers)
    if (name == "x-fermata-token") value = "999";
  memory_bus.send("workflow.execution", sent[0]);
  settle_all();
  EXPECT_EQ(told_as(taken("workflow.node.status"), "e", "success"), 0);
  EXPECT_EQ(receiver->passed_by_reason().at("activation_closed"), 1u);
}

}  // namespace
}  // namespace fermata
