#include "core/run/api_waits.h"

#include <gtest/gtest.h>

#include "core/run/history.h"
#include "core/run/script_definition.h"
#include "core/run/snapshot.h"

/// Runs without a program, and what their ends leave for others (W-70 to W-72).
namespace fermata {
namespace {

constexpr Instant start_at{1'772'359'200'000};  // 2026-03-01T10:00:00Z

struct ExternalRun {
  explicit ExternalRun(Value callback = {}) {
    Value canonical = Value::object({{"language", "external"}});
    if (!callback.is_null()) canonical.set("callback", callback);
    definition = make_external_definition(canonical);
    run.id = RunId("r1");
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definition;
    tell(std::move(body));
  }
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, {now, 7, {}});
    if (!decision) return std::string(name_of(decision.error().code));
    for (Delivery& delivery : decision->deliveries) told.push_back(std::move(delivery));
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  std::string open(const std::string& step, int64_t hours = 1, std::string request = "") {
    Value config = Value::object({{"duration", hours}, {"unit", "hours"}});
    return tell(OpenWait{step, "fixed_time", config, {}, {}, {}, std::move(request)});
  }
  std::string keys() const {
    std::string out;
    for (const Delivery& delivery : told)
      out += std::to_string(delivery.sequence) + " " + delivery.type + " " + delivery.step + "; ";
    return out;
  }

  graph::DefinitionRef definition;
  Instant now = start_at;
  Run run;
  std::vector<Delivery> told;
  std::vector<HistoryChunk> history;
};

Value hook() { return Value::object({{"url", "https://crm.example/hook"}}); }

// W-18: acting on each of many waits of one run costs the same however many there are.
TEST(ExternalRuns, wait_is_found_by_its_id_among_thousands) {
  ExternalRun external;
  constexpr int waits = 3'000;
  for (int i = 0; i < waits; ++i) ASSERT_EQ(external.open("s" + std::to_string(i)), "");
  ASSERT_EQ(external.run.wait_keys.size(), external.run.waits.size());
  for (const auto& [key, wait] : external.run.waits)
    ASSERT_EQ(external.run.wait_keys.at(wait.id), key);
  std::vector<std::string> ids;
  for (const auto& [key, wait] : external.run.waits) ids.push_back(wait.id);
  for (const std::string& id : ids) ASSERT_EQ(external.tell(ResumeWait{id, {}, "", "", false}), "");
  EXPECT_TRUE(external.run.waits.empty());
  EXPECT_TRUE(external.run.wait_keys.empty());
}

// W-70, W-61
TEST(ExternalRuns, run_while_they_do_not_wait_and_end_when_they_are_told) {
  ExternalRun external(hook());
  EXPECT_EQ(shown_status(external.run), RunStatus::running);
  EXPECT_EQ(external.open("a"), "");
  EXPECT_EQ(shown_status(external.run), RunStatus::waiting);
  EXPECT_EQ(summarize(external.run).next_due, start_at + Duration{3'600'000});
  EXPECT_EQ(external.tell(WakeRun{}, Duration{3'599'999}), "nothing_due");
  EXPECT_EQ(external.tell(WakeRun{}, Duration{1}), "");
  EXPECT_EQ(shown_status(external.run), RunStatus::running);
  EXPECT_EQ(external.tell(CompleteRun{Value(7)}), "");
  EXPECT_EQ(external.run.output, Value(7));
  EXPECT_EQ(external.tell(CompleteRun{}), "run_finished");
  EXPECT_EQ(external.keys(), "1 wait.resumed a; 2 execution.ended ; ");
}

// W-72, W-63
TEST(ExternalRuns, end_of_the_run_is_told_after_the_ends_of_its_waits) {
  ExternalRun external(hook());
  external.open("a");
  external.open("b", 2);
  EXPECT_EQ(external.tell(CancelRun{"stop"}), "");
  EXPECT_EQ(external.keys(), "1 wait.cancelled a; 2 wait.cancelled b; 3 execution.ended ; ");
  EXPECT_EQ(external.told[0].body.get("exit_reason"), Value("stop"));
  EXPECT_EQ(external.told[2].key, "r1:ended");
  EXPECT_EQ(external.told[2].body.get("status"), Value("cancelled"));
}

// W-72
TEST(ExternalRuns, address_of_the_wait_goes_before_that_of_the_definition) {
  ExternalRun external(hook());
  Value own = Value::object({{"url", "https://crm.example/own"}});
  Value config = Value::object({{"duration", 1}, {"unit", "hours"}});
  external.tell(OpenWait{"a", "fixed_time", config, {}, own, {}, ""});
  external.tell(WakeRun{}, Duration{3'600'000});
  EXPECT_EQ(external.told.at(0).callback, own);
  ExternalRun silent;
  silent.open("a");
  silent.tell(WakeRun{}, Duration{3'600'000});
  EXPECT_TRUE(silent.told.empty());
}

//
TEST(ExternalRuns, request_that_was_taken_opens_nothing_again) {
  ExternalRun external;
  EXPECT_EQ(external.open("a", 1, "k"), "");
  EXPECT_EQ(external.open("a", 1, "k"), "");
  EXPECT_EQ(external.open("a", 1, "other"), "wait_exists");
  external.tell(WakeRun{}, Duration{3'600'000});
  EXPECT_EQ(external.open("a", 1, "k"), "");
  EXPECT_TRUE(external.run.waits.empty());
  EXPECT_EQ(external.open("a", 1, "new"), "");
}

// W-75
TEST(ExternalRuns, answer_that_cannot_be_taken_leaves_a_wait_that_ended_as_error) {
  ExternalRun external(hook());
  TakeAnswer answer;
  answer.step = "a";
  answer.next = OpenWait{"b", "fixed_time", Value::object({{"duration", 0}}), {}, {}, {}, ""};
  EXPECT_EQ(external.tell(answer), "");
  EXPECT_EQ(external.keys(), "1 wait.error b; ");
  EXPECT_EQ(external.told[0].body.get("error").get("code"), Value("invalid_duration"));
  EXPECT_EQ(shown_status(external.run), RunStatus::running);
}

// W-68
TEST(ExternalRuns, fold_and_snapshot_hold_what_they_are) {
  ExternalRun external(hook());
  external.open("a", 1, "k");
  external.open("b", 5);
  external.tell(CancelWait{external.run.waits.begin()->second.id, "no"});
  external.tell(PauseRun{});
  auto folded = fold(RunId("r1"), external.history,
                     [&](const DefinitionHash&) { return external.definition; });
  ASSERT_TRUE(folded);
  EXPECT_EQ(encode_snapshot(*folded), encode_snapshot(external.run));
  auto read = decode_snapshot(encode_snapshot(external.run), external.definition);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->endings, 1u);
  EXPECT_EQ(encode_snapshot(*read), encode_snapshot(external.run));
}

}  // namespace
}  // namespace fermata
