#include "test/partition/message_fixture.h"

/// What other programs are told of runs and what they send, turn by turn, with a broker that loses,
/// repeats and breaks (C-52, C-53, C-56, C-57, C-61, C-66).
namespace fermata {
namespace {

// C-55, C-56, C-61
TEST_F(Messages, start_is_told_of_from_its_beginning_to_one_completion) {
  send("workflow.execution", start_message("r1", "t", R"({"$json":{"n":1}})"), "m1");
  settle_all();
  ASSERT_EQ(status_of("r1"), RunStatus::waiting);
  auto initiated = taken("workflow.worker.initiated");
  ASSERT_EQ(initiated.size(), 1u);
  EXPECT_EQ(initiated[0].get("execution_id"), Value("r1"));
  EXPECT_EQ(initiated[0].get("current_node"), Value("t"));
  EXPECT_EQ(initiated[0].get("is_worker_initiated"), Value(true));
  auto statuses = taken("workflow.node.status");
  ASSERT_EQ(statuses.size(), 3u);
  EXPECT_EQ(statuses[0].get("node_id"), Value("t"));
  EXPECT_EQ(statuses[1].get("node_name"), Value("Note"));
  EXPECT_EQ(statuses[1].get("status"), Value("success"));
  EXPECT_EQ(statuses[2].get("status"), Value("waiting"));
  int64_t resume_at = clock.now().ms + 3'600'000;
  EXPECT_EQ(statuses[2].get("metadata").get("resume_at"), Value(resume_at));
  EXPECT_EQ(statuses[2].get("output").get("resume_at"), Value(resume_at));
  EXPECT_TRUE(statuses[2].get("output").find("timer_id"));
  EXPECT_TRUE(taken("workflow.completion").empty());
  clock.advance(Duration{3'600'000});
  settle_all();
  statuses = taken("workflow.node.status");
  ASSERT_EQ(statuses.size(), 2u);
  EXPECT_EQ(statuses[0].get("node_id"), Value("w")) << "the wait is green before what follows it";
  EXPECT_EQ(statuses[0].get("status"), Value("success"));
  EXPECT_EQ(statuses[1].get("node_id"), Value("n"));
  auto completions = taken("workflow.completion");
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].get("status"), Value("completed"));
  EXPECT_EQ(completions[0].get("workflow_id"), Value("wf_1"));
  EXPECT_EQ(completions[0].get("total_duration_ms"), Value(3'600'000));
  EXPECT_TRUE(completions[0].get("final_context").is_object());
  EXPECT_EQ(*store.memory.outbox_rows("rabbit"), 0u);
}

// C-62
TEST_F(Messages, compat_tells_of_running_and_brings_the_definition) {
  begin({AccountId("acme"), true}, 1);
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  auto statuses = taken("workflow.node.status");
  std::vector<std::string> said;
  for (const Value& one : statuses)
    said.push_back(std::string(one.get("node_id").as_string()) + " " +
                   std::string(one.get("status").as_string()));
  EXPECT_EQ(said, (std::vector<std::string>{"t running", "t success", "e running", "e success",
                                            "w waiting"}));
  EXPECT_EQ(ids[0], "r1:2:running");
  auto initiated = taken("workflow.worker.initiated");
  ASSERT_EQ(initiated.size(), 1u);
  EXPECT_EQ(initiated[0].get("workflow_definition").get("nodes").size(), 4u);
}

// C-56
TEST_F(Messages, run_begins_at_the_node_and_with_the_context_of_the_message) {
  send("workflow.execution",
       start_message("r1", "w", R"({"$Note":{"seen":"before"},"$json":{"a":1}})"), "m1");
  settle_all();
  std::vector<std::string> ran;
  for (const Value& one : taken("workflow.node.status"))
    if (one.get("status") != Value("skipped"))
      ran.push_back(std::string(one.get("node_id").as_string()));
  EXPECT_EQ(ran, (std::vector<std::string>{"w"})) << "nothing before it ran";
  clock.advance(Duration{3'600'000});
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
}

// C-53, C-217
TEST_F(Messages, message_that_comes_again_starts_nothing) {
  send("workflow.execution", start_message("r1"), "m1");
  send("workflow.execution", start_message("r1"), "m1");
  send("workflow.execution", start_message("r2"));
  send("workflow.execution", start_message("r2"));
  settle_all();
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  EXPECT_EQ(taken("workflow.worker.initiated").size(), 2u);
  EXPECT_TRUE(letters().empty());
  EXPECT_TRUE(memory_bus.take("workflow.dead").empty());
}

// C-57
TEST_F(Messages, resume_wakes_the_wait_once_however_often_it_comes) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  taken("workflow.node.status");
  std::string resume = R"({"workflow_id":"wf_1","execution_id":"r1","current_node":"w"})";
  send("workflow.resume", resume, "m2");
  send("workflow.resume", resume, "m2");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::completed);
  EXPECT_EQ(taken("workflow.completion").size(), 1u);
  send("workflow.resume", resume, "m2");
  send("workflow.resume", resume, "m3");
  settle_all();
  EXPECT_TRUE(letters().empty()) << "of a run that has ended nothing is wanted";
}

// C-57
TEST_F(Messages, timeout_message_fires_what_is_due_and_nothing_else) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  send("workflow.timeout.process", R"({"exec_id":"r1","node_id":"w"})");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::waiting);
  EXPECT_TRUE(letters().empty());
}

// C-53, C-222
TEST_F(Messages, unusable_message_is_a_dead_letter_and_a_copy_and_the_queue_goes_on) {
  send("workflow.execution", "{not json", "bad1");
  send("workflow.execution", R"({"workflow_id":"w"})", "bad2");
  send("workflow.execution", R"({"execution_id":"r9"})", "bad3");
  send("workflow.execution", "\"" + std::string(5 << 20, 'x') + "\"", "bad4");
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  std::set<std::string> reasons;
  for (const DeadLetterEntry& entry : letters()) reasons.insert(entry.letter.reason_code);
  EXPECT_EQ(reasons, (std::set<std::string>{"not_json", "execution_id_missing",
                                            "current_node_missing", "too_large"}));
  auto copies = memory_bus.take("workflow.dead");
  ASSERT_EQ(copies.size(), 4u);
  EXPECT_EQ(copies[0].id, "bad1");
  EXPECT_EQ(*find_header(copies[0].headers, "x-fermata-reason"), "not_json");
  EXPECT_TRUE(exists("r1"));
  EXPECT_EQ(receiver->dead_by_reason().at("not_json"), 1u);
}

// C-56, C-222
TEST_F(Messages, invalid_definition_ends_a_run_that_the_sender_hears_of) {
  send("workflow.execution",
       R"({"workflow_id":"w","execution_id":"r1","current_node":"a","workflow_definition":
           {"nodes":[{"id":"a","type":"nonsense"}],"edges":[]}})",
       "m1");
  settle_all();
  EXPECT_EQ(status_of("r1"), RunStatus::failed);
  auto completions = taken("workflow.completion");
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].get("status"), Value("failed"));
  auto statuses = taken("workflow.node.status");
  ASSERT_EQ(statuses.size(), 1u);
  EXPECT_EQ(statuses[0].get("error").get("code"), Value("invalid_definition"));
  EXPECT_TRUE(letters().empty());
}

// C-59
TEST_F(Messages, values_of_credentials_are_sealed_and_go_nowhere) {
  std::string with_secret = definition;
  with_secret.insert(with_secret.find(R"("type":"noop")"),
                     R"("credentials":{"id":"c1","name":"token","type":"bearer",)"
                     R"("values":{"token":"s3cr3t-value"}},)");
  std::string kept = std::exchange(definition, with_secret);
  begin({AccountId("acme"), true}, 1);
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  definition = kept;
  ASSERT_TRUE(exists("r1")) << (letters().empty() ? "" : letters()[0].letter.reason);
  for (const char* queue : {"workflow.worker.initiated", "workflow.node.status"})
    for (const BusMessage& message : memory_bus.take(queue))
      EXPECT_EQ(message.body.find("s3cr3t"), std::string::npos) << message.body;
  for (const HistoryChunk& chunk : stored("r1").history)
    EXPECT_EQ(chunk.bytes.find("s3cr3t"), std::string::npos);
  auto credential = store.memory.credential(AccountId("acme"), "c1");
  ASSERT_TRUE(credential && *credential);
  EXPECT_EQ((*vault->open(**credential)).get("token"), Value("s3cr3t-value"));
}

// C-52
TEST_F(Messages, without_a_broker_no_rows_are_written) {
  HostPorts ports{store, timers, calls, clock, entropy, told, by_hash};
  own_host = std::make_unique<Host>(ports, settings);
  receiver =
      std::make_unique<Receiver>(*broken, *interpreter, *own_host, store.memory, AccountId("acme"));
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  ASSERT_TRUE(exists("r1"));
  EXPECT_EQ(*store.memory.outbox_rows("rabbit"), 0u);
}

// C-56
TEST_F(Messages, runs_of_other_accounts_are_not_told_of) {
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  taken("workflow.worker.initiated");
  StartRun other;
  other.account = AccountId("other");
  other.workflow = WorkflowId("w");
  other.definition = graph::check_definition(*parse_json(definition)).definition;
  EXPECT_TRUE(own_host->submit({RunId("r2"), std::move(other), "tester"}, {}));
  settle_all();
  ASSERT_TRUE(exists("r2"));
  EXPECT_TRUE(taken("workflow.worker.initiated").empty());
}

// C-53
TEST_F(Messages, message_is_acknowledged_after_the_commit) {
  store.fails_once_with = CommitOutcome::unavailable;
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  EXPECT_FALSE(exists("r1"));
  EXPECT_TRUE(broken->pull(10).empty()) << "it rests while the store is away";
  clock.advance(Duration{1'000});
  settle_all();
  EXPECT_TRUE(exists("r1"));
  EXPECT_EQ(taken("workflow.worker.initiated").size(), 1u);
}

// C-52
TEST_F(Messages, queue_that_is_gone_holds_up_nothing_else) {
  memory_bus.remove("workflow.node.status");
  send("workflow.execution", start_message("r1"), "m1");
  settle_all();
  clock.advance(Duration{3'600'000});
  settle_all();
  EXPECT_EQ(taken("workflow.worker.initiated").size(), 1u);
  EXPECT_TRUE(taken("workflow.completion").empty()) << "the end comes after all before it";
  memory_bus.restore("workflow.node.status");
  clock.advance(Relay::unroutable_pause);
  settle_all();
  EXPECT_EQ(taken("workflow.node.status").size(), 5u);
  EXPECT_EQ(taken("workflow.completion").size(), 1u);
}

// C-66, C-220: whatever breaks, every message is published, in order per run, one completion each.
TEST_F(Messages, broken_broker_loses_nothing_and_keeps_the_order) {
  uint64_t losses = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    begin({AccountId("acme"), false}, seed);
    broken->chance = 0.15;
    std::string prefix = "s" + std::to_string(seed) + "-";
    constexpr int runs = 12;
    for (int i = 0; i < runs; ++i) {
      std::string run = prefix + std::to_string(i);
      for (int twice = 0; twice < 2; ++twice)
        send("workflow.execution", start_message(run), "start " + run);
      if (i % 3 == 0) settle_all();
    }
    settle_all();
    // The server dies and comes back with what the store holds.
    begin({AccountId("acme"), false}, seed + 1'000);
    broken->chance = 0.15;
    ASSERT_TRUE(own_host->recover());
    clock.advance(Duration{3'600'000});
    settle_all();
    broken->chance = 0;
    settle_all();
    losses += broken->losses;
    ASSERT_EQ(*store.memory.outbox_rows("rabbit"), 0u) << "seed " << seed;
    std::map<std::string, std::vector<uint64_t>> order;
    std::map<std::string, std::set<std::string>> completions;
    for (const char* queue : {"workflow.node.status", "workflow.completion"}) {
      for (const BusMessage& message : memory_bus.take(queue)) {
        std::string run(parse_json(message.body)->get("execution_id").as_string());
        if (queue == std::string("workflow.completion")) {
          completions[run].insert(message.id);
          continue;
        }
        uint64_t sequence = std::stoull(*find_header(message.headers, "x-fermata-sequence"));
        std::vector<uint64_t>& seen = order[run];
        // A repeat begins anew somewhere before; nothing is ever skipped.
        if (!seen.empty() && sequence > seen.back())
          EXPECT_LE(sequence, *std::max_element(seen.begin(), seen.end()) + 3) << run;
        seen.push_back(sequence);
      }
    }
    memory_bus.take("workflow.worker.initiated");
    for (int i = 0; i < runs; ++i) {
      std::string run = prefix + std::to_string(i);
      ASSERT_EQ(status_of(run), RunStatus::completed) << run << " seed " << seed;
      EXPECT_EQ(completions[run].size(), 1u) << run << ": one completion, perhaps repeated";
      std::set<uint64_t> distinct(order[run].begin(), order[run].end());
      EXPECT_EQ(distinct.size(), 5u) << run << ": every status was published";
      // By first appearance they come in order.
      std::vector<uint64_t> firsts;
      for (uint64_t sequence : order[run])
        if (std::find(firsts.begin(), firsts.end(), sequence) == firsts.end())
          firsts.push_back(sequence);
      EXPECT_TRUE(std::is_sorted(firsts.begin(), firsts.end())) << run << " seed " << seed;
    }
  }
  EXPECT_GT(losses, 0u) << "nothing was ever lost: the test shows nothing";
}

}  // namespace
}  // namespace fermata
