#include <gtest/gtest.h>

#include "base/json.h"
#include "core/flow/script.h"
#include "core/graph/check.h"
#include "core/run/history.h"
#include "core/run/script_definition.h"
#include "core/run/snapshot.h"
#include "core/run/step.h"

/// Resumes that cannot be carried out though the store is there (W-66).
namespace fermata {
namespace {

constexpr Instant start_at{1'769'421'600'000};  // 2026-01-26T10:00:00Z
constexpr Duration half_an_hour{30 * 60'000};

graph::DefinitionRef graph_of(const std::string& wait) {
  auto checked = graph::check_definition(*parse_json(
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
          {"id":"w","type":"wait","parameters":)" +
      wait + R"(},{"id":"a","type":"noop"}],
          "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"a"}]})"));
  for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
  return checked.definition;
}

struct Failing {
  explicit Failing(graph::DefinitionRef made) : definition(std::move(made)) {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definition;
    body.contact_id = "c-17";
    EXPECT_EQ(tell(std::move(body)), "");
  }
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    auto decision = decide(run, {RunId("r1"), std::move(body), "engine"}, {now, 7, {}});
    if (!decision) return std::string(name_of(decision.error().code));
    for (WaitRecord& record : decision->waits) waits[record.wait.step] = record.wait;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  /// The moments, in seconds, between one try and the next, until nothing is tried any more.
  std::vector<int64_t> fail_until_given_up() {
    std::vector<int64_t> rests;
    for (int i = 0; i < 10 && !run.finished(); ++i) {
      EXPECT_EQ(tell(WakeRun{"disk on fire"}), "");
      auto next = summarize(run).next_due;
      if (!next || run.finished()) break;
      rests.push_back((*next - now).ms / 1'000);
      EXPECT_EQ(tell(WakeRun{}, *next - now - Duration{1}), "nothing_due");
      now = *next;
    }
    return rests;
  }
  std::string told(const std::string& step) const {
    const Wait& wait = waits.at(step);
    return std::string(name_of(wait.status)) + "/" + wait.resumed_by + "/" +
           std::to_string(wait.retries) + "/" + wait.last_error;
  }

  graph::DefinitionRef definition;
  Instant now = start_at;
  Run run;
  std::map<std::string, Wait> waits;
  std::vector<HistoryChunk> history;
};

const char* nap = R"({"wait_type":"fixed_time","duration":30,"unit":"minutes"})";

TEST(ResumeFailures, three_more_tries_with_longer_rests_then_wait_and_run_have_failed) {
  Failing test(graph_of(nap));
  test.now = test.now + half_an_hour;
  EXPECT_EQ(test.fail_until_given_up(), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(test.told("w"), "error//3/disk on fire");
  EXPECT_EQ(test.waits.at("w").ended_reason, "wait_resume_failed");
  EXPECT_EQ(test.run.status, RunStatus::failed);
  EXPECT_EQ(test.run.error.get("code"), Value("wait_resume_failed"));
  EXPECT_EQ(test.run.error.get("node"), Value("w"));
  EXPECT_EQ(test.run.error.get("attempts"), Value(4));
  EXPECT_EQ(test.tell(WakeRun{"again"}), "run_finished");
}

TEST(ResumeFailures, one_that_succeeds_in_between_goes_on_as_if_nothing_had_been) {
  Failing test(graph_of(nap));
  EXPECT_EQ(test.tell(WakeRun{"late"}, half_an_hour), "");
  EXPECT_EQ(test.told("w"), "scheduled//1/late");
  EXPECT_EQ(test.waits.at("w").due, start_at + half_an_hour) << "what it was due for stays";
  auto again = decode_snapshot(encode_snapshot(test.run), test.definition);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->waits, test.run.waits);
  EXPECT_EQ(again->wait_keys, test.run.wait_keys);
  EXPECT_EQ(test.tell(WakeRun{}, Duration{1'000}), "");
  EXPECT_EQ(test.run.status, RunStatus::completed);
  EXPECT_EQ(test.told("w"), "resumed/scheduler/1/late");
  EXPECT_EQ(
      test.run.ended.begin()->second.context.find(Context::of_node(1))->value.get("scheduled_at"),
      Value("2026-01-26T10:30:00.000Z"));
}

TEST(ResumeFailures, only_what_is_due_is_to_blame) {
  Failing test(graph_of(nap));
  EXPECT_EQ(test.tell(WakeRun{"early"}), "nothing_due");
  EXPECT_EQ(test.told("w"), "scheduled//0/");
  EXPECT_EQ(test.tell(PauseRun{}), "");
  EXPECT_EQ(test.tell(WakeRun{"paused"}, half_an_hour), "run_paused");
}

TEST(ResumeFailures, signal_that_cannot_be_taken_leaves_the_timeout_where_it_is) {
  Failing test(
      graph_of(R"({"wait_type":"for_event","event_type":"email_open","timeout_hours":72})"));
  auto signal = std::make_shared<Signal>();
  signal->account = AccountId("acme");
  signal->id = "ev-1";
  signal->type = "email_open";
  signal->contact_id = "c-17";
  signal->received_at = start_at;
  std::string wait = test.waits.at("w").id;
  auto due = summarize(test.run).next_due;
  for (uint32_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(test.tell(OfferSignal{signal, wait, "full"}), "");
    EXPECT_EQ(test.told("w"), "waiting//" + std::to_string(i) + "/full");
    EXPECT_EQ(summarize(test.run).next_due, due);
  }
  EXPECT_EQ(test.tell(OfferSignal{signal, wait, "full"}), "");
  EXPECT_EQ(test.told("w"), "error//3/full");
  EXPECT_EQ(test.run.status, RunStatus::failed);
  EXPECT_EQ(test.tell(OfferSignal{signal, wait, ""}), "run_finished");
}

TEST(ResumeFailures, waits_of_another_engine_fail_the_same_way) {
  Failing test(make_external_definition(Value::object({{"language", "external"}})));
  Value config = Value::object({{"duration", 30}, {"unit", "minutes"}});
  EXPECT_EQ(test.tell(OpenWait{"x", "fixed_time", config, {}, {}, {}, ""}), "");
  test.now = test.now + half_an_hour;
  EXPECT_EQ(test.fail_until_given_up(), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(test.told("x"), "error//3/disk on fire");
  EXPECT_EQ(test.run.status, RunStatus::failed);
}

TEST(ResumeFailures, timers_of_scripts_fail_the_same_way) {
  auto checked =
      flow::check_script("workflow w(inputs) {\n  await Timer.delay(1800)\n  return 1\n}\n");
  Failing test(make_script_definition(flow::make_definition(std::move(checked))));
  ASSERT_EQ(test.waits.size(), 1u);
  std::string step = test.waits.begin()->first;
  test.now = test.now + Duration{1'800'000};
  Failing other = test;
  EXPECT_EQ(test.fail_until_given_up(), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(test.told(step), "error//3/disk on fire");
  EXPECT_EQ(test.run.status, RunStatus::failed);
  EXPECT_EQ(test.run.error.get("code"), Value("wait_resume_failed"));
  EXPECT_EQ(other.tell(WakeRun{"once"}), "");
  EXPECT_EQ(other.tell(WakeRun{}, Duration{999}), "nothing_due");
  EXPECT_EQ(other.tell(WakeRun{}, Duration{1}), "");
  EXPECT_EQ(other.run.status, RunStatus::completed);
  EXPECT_EQ(other.told(step), "resumed/scheduler/1/once");
}

}  // namespace
}  // namespace fermata
