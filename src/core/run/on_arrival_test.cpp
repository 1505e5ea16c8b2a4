#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/checkpoint.h"
#include "core/run/decide.h"

/// Tokens of other programs and the history they leave (C-56, C-58).
namespace fermata {
namespace {

class Arriving : public testing::Test {
 protected:
  static graph::DefinitionRef define(const char* json) {
    auto checked = graph::check_definition(*parse_json(json));
    EXPECT_TRUE(checked.definition);
    return checked.definition;
  }
  graph::EdgeIndex edge(const char* from, const char* to) const {
    for (graph::EdgeIndex at : definition->nodes[*definition->node_by_id(to)].in_edges)
      if (definition->edges[at].src == *definition->node_by_id(from)) return at;
    ADD_FAILURE() << "no edge from " << from << " to " << to;
    return 0;
  }
  ForeignToken over(const char* from, const char* to) const {
    ForeignToken token;
    token.node = *definition->node_by_id(to);
    token.edges = {edge(from, to)};
    token.feeds = true;
    return token;
  }
  /// Why it was refused; empty: it was not.
  std::string arrive(ForeignToken token, const std::string& mark) {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definition;
    body.input = Value::object();
    body.trigger_kind = "rabbitmq";
    body.request_hash = mark;
    body.arrival = std::make_shared<const ForeignToken>(std::move(token));
    auto decision = decide(run, {RunId("r1"), std::move(body), "broker"}, {now, 7, {}});
    if (!decision) return std::string(name_of(decision.error().code));
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const HistoryChunk& chunk : history)
      for (const Event& event : *decode_history(chunk)) out.emplace_back(type_name(event.body));
    return out;
  }
  /// What is folded from the beginning, or from where the checkpoint was, is what was decided.
  void expect_fold() const {
    auto lookup = [this](const DefinitionHash&) { return definition; };
    auto folded = fold(RunId("r1"), history, lookup);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(encode_checkpoint(*folded), encode_checkpoint(run));
    auto restored = restore_checkpoint(RunId("r1"), encode_checkpoint(run), lookup);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(encode_checkpoint(*restored), encode_checkpoint(run));
  }

  graph::DefinitionRef definition = define(R"({"nodes":[
      {"id":"t","type":"manual","trigger":true},{"id":"a","type":"noop"},{"id":"b","type":"noop"},
      {"id":"m","type":"merge","parameters":{"timeout":60}},
      {"id":"s","type":"split","parameters":{"input_array":"$input.list"}},
      {"id":"e","type":"noop"},{"id":"g","type":"aggregator"}],
     "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"b"},
              {"id":"3","src":"a","dst":"m"},{"id":"4","src":"b","dst":"m"},
              {"id":"5","src":"m","dst":"s"},{"id":"6","src":"s","dst":"e"},
              {"id":"7","src":"e","dst":"g"}]})");
  Instant now{1'700'000'000'000};
  fermata::Run run;
  std::vector<HistoryChunk> history;
};

TEST_F(Arriving, run_begins_with_the_token_and_not_at_its_entry) {
  ASSERT_EQ(arrive(over("a", "m"), "first"), "");
  EXPECT_EQ(types(), (std::vector<std::string>{"RunStarted", "EntryVacated", "TokensArrived",
                                               "MergeArrived", "MergeRecounted"}));
  EXPECT_EQ(run.pending_merges.size(), 1u);
  EXPECT_TRUE(run.tokens.empty()) << "nothing stands at the entry";
  EXPECT_FALSE(run.done.contains(definition->entry));
  expect_fold();
  ASSERT_EQ(arrive(over("b", "m"), "second"), "");
  EXPECT_EQ(types()[5], "TokensArrived") << "a run that is there has left its entry already";
  expect_fold();
}

TEST_F(Arriving, items_that_are_awaited_are_part_of_the_state) {
  ForeignToken item = over("s", "e");
  item.frames = {{*definition->node_by_id("s"), 1, 3}};
  item.item = Value("one");
  ASSERT_EQ(arrive(item, "one"), "");
  ASSERT_EQ(run.scopes.size(), 1u);
  EXPECT_EQ(run.scopes.begin()->second.awaited, (std::set<uint32_t>{0, 2}));
  expect_fold();
  EXPECT_EQ(arrive(item, "one again"), "activation_closed");
  for (uint32_t left : {2u, 0u}) {
    item.frames[0].item = left;
    item.item = Value(left);
    ASSERT_EQ(arrive(item, "item" + std::to_string(left)), "");
    expect_fold();
  }
  EXPECT_EQ(run.status, RunStatus::completed);
}

}  // namespace
}  // namespace fermata
