#include <algorithm>

#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

/// Scripts whose tasks say how they are undone, and one worker for all of them.
class ScriptSagas : public Jobs {
 protected:
  std::string begin(std::string_view script) {
    auto made = world.ask("PUT", "/api/v1/workflows/shop", script, "Content-Type: text/x-flow\r\n");
    EXPECT_EQ(made.status, 201) << made.text;
    worker_ = enroll();
    return world.start("shop", R"({"input":{"order":"o1"}})");
  }
  Value next_job(const std::string& topic) {
    auto is_it = [&](const Value& job) { return job.get("topic") == Value("job." + topic); };
    auto found = std::ranges::find_if(held_, is_it);
    if (found == held_.end()) {
      const Value claimed = claim(worker_, ++seq_, 10'000).get("jobs");
      for (const Value& job : claimed.items()) held_.push_back(job);
      found = std::ranges::find_if(held_, is_it);
    }
    EXPECT_NE(found, held_.end()) << topic;
    if (found == held_.end()) return {};
    Value job = *found;
    held_.erase(found);
    return job;
  }
  std::string say(const Value& job, const std::string& status, Value more = Value::object()) {
    return report(worker_, result_of(job, status, std::move(more)));
  }
  static Value gave(int64_t id) { return Value::object({{"output", Value::object({{"id", id}})}}); }
  Value entries_of(const std::string& run) {
    return get("/executions/" + run + "/saga").body.get("entries");
  }

  std::string worker_;
  std::vector<Value> held_;
  int seq_ = 0;
};

// F-27, J-70, J-73: the input is computed when the task has ended, and a failed run is undone
// because its front matter says so.
TEST_F(ScriptSagas, compensation_is_a_function_of_what_the_task_gave) {
  std::string run = begin(R"(```
on_failure: rollback
```
workflow shop(inputs) {
  let fee = 5
  const paid = await Task.run("charge", { order: inputs.order }, { compensation: {
    topic: "refund", labels: { team: "red" },
    input: (output, input) =>
      ({ charge: output.id, order: input.order, less: minus(fee), by: Inputs.order })
  } })
  fee = 6
  await Task.run("ship", paid)
}
function minus(n) { return n == 0 ? 0 : minus(n - 1) - 1 }
)");
  EXPECT_EQ(say(next_job("charge"), "succeeded", gave(7)), "accepted");
  Value entry = entries_of(run).items()[0];
  EXPECT_EQ(entry.get("status"), Value("recorded"));
  EXPECT_EQ(say(next_job("ship"), "failed"), "accepted");
  Value refund = next_job("refund");
  EXPECT_EQ(refund.get("input"),
            Value::object({{"charge", 7}, {"order", "o1"}, {"less", -5}, {"by", "o1"}}));
  EXPECT_EQ(refund.get("labels").get("team"), Value("red"));
  EXPECT_EQ(say(refund, "succeeded"), "accepted");
  ASSERT_TRUE(world.wait_for(run, "failed"));
  Value ended = get("/executions/" + run).body;
  EXPECT_EQ(ended.get("exit_reason"), Value("rolled_back"));
  EXPECT_EQ(get("/executions/" + run + "/saga").body.get("trigger"), Value("on_failure"));
}

// J-70, J-74: the script has ended by then.
TEST_F(ScriptSagas, late_success_is_undone_with_what_it_gave) {
  std::string run = begin(R"(workflow shop(inputs) {
  const kept = { shop: "s1" }
  Task.run("reserve", {}, { compensation: { topic: "free", input: o => ({ id: o.id, ...kept }) } })
  await Task.run("charge", {})
})");
  Value reserve = next_job("reserve");
  EXPECT_EQ(say(next_job("charge"), "failed_fatal"), "accepted");
  EXPECT_EQ(say(reserve, "succeeded", gave(3)), "terminal");
  Value free = next_job("free");
  EXPECT_EQ(free.get("input"), Value::object({{"id", 3}, {"shop", "s1"}}));
  EXPECT_EQ(say(free, "succeeded"), "accepted");
  ASSERT_TRUE(world.wait_for(run, "failed"));
  EXPECT_EQ(entries_of(run).items()[0].get("status"), Value("done"));
}

// J-70, J-75
TEST_F(ScriptSagas, compensation_that_cannot_be_computed_is_told_to_people) {
  std::string run = begin(R"(workflow shop(inputs) {
  await Task.run("charge", {}, { compensation: { topic: "refund", input: o => o.no.such } })
  await Task.run("reserve", {}, { compensation: { topic: "free", input: o => Task.run("x") } })
  await Task.run("ship", {}, { compensation: { topic: "fetch", input: o => { for (;;) {} } } })
  await Task.run("pack", {})
})");
  for (const char* topic : {"charge", "reserve", "ship"})
    EXPECT_EQ(say(next_job(topic), "succeeded", gave(1)), "accepted");
  EXPECT_EQ(say(next_job("pack"), "failed_fatal"), "accepted");
  ASSERT_TRUE(world.wait_for(run, "failed"));
  EXPECT_EQ(get("/dlq?reason_code=saga_unmarshal_failed").body.get("items").size(), 3u);
  const Value entries = entries_of(run);
  for (const Value& entry : entries.items())
    EXPECT_EQ(entry.get("status"), Value("skipped")) << to_json(entry);
}

// J-70: nobody but the engine says that an input is to be computed.
TEST_F(ScriptSagas, functions_are_taken_from_scripts_alone) {
  Value undo = Value::object({{"topic", "b"}, {"computed", Value::object()}});
  Answer refused = post("/jobs", Value::object({{"topic", "a"}, {"compensation", undo}}));
  EXPECT_EQ(refused.status, 422) << refused.text;
  std::string run = begin(R"(workflow shop(inputs) {
  const compensation = JSON.parse('{"topic": "b", "computed": {}}')
  try { await Task.run("a", inputs, { compensation }) }
  catch (e) { return e.code }
})");
  ASSERT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(get("/executions/" + run).body.get("output"), Value("WRONG_ARG_TYPE"));
}

}  // namespace
}  // namespace fermata::server
