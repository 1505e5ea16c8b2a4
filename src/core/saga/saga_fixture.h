#pragma once
#include <gtest/gtest.h>

#include <map>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/history.h"
#include "core/saga/saga.h"

namespace fermata::saga {

/// A run whose steps `a`, `b` and `c` are jobs under way at once, and all that it posts.
struct SagaRun {
  static constexpr const char* together = R"({"nodes":[
      {"id":"t","type":"manual","trigger":true},
      {"id":"a","type":"job","parameters":{"topic":"a"}},
      {"id":"b","type":"job","parameters":{"topic":"b"}},
      {"id":"c","type":"job","parameters":{"topic":"c"}}],
      "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"b"},
               {"id":"3","src":"t","dst":"c"}]})";
  Run run;
  Given given{Instant{1'700'000'000'000}, 7, {}};
  std::vector<OrderJob> orders;  ///< all there ever were
  Decision last;

  explicit SagaRun(const std::string& definition = together) {
    auto checked = graph::check_definition(*parse_json(definition));
    for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
    StartRun start;
    start.account = AccountId("acme");
    start.workflow = WorkflowId("trip");
    start.definition = checked.definition;
    EXPECT_EQ(tell(std::move(start)), "");
  }
  /// A saga that jobs outside a run share.
  static SagaRun shared() {
    SagaRun at{Shared{}};
    StartRun start;
    start.account = AccountId("acme");
    start.workflow = WorkflowId(saga_workflow);
    start.definition = saga_definition();
    EXPECT_EQ(at.tell(std::move(start)), "");
    return at;
  }

  /// The code of the refusal, or nothing.
  std::string tell(CommandBody body, const std::string& actor = "tester") {
    auto decision = decide(run, {RunId("r1"), std::move(body), actor}, given);
    if (!decision) return std::string(name_of(decision.error().code));
    last = *std::move(decision);
    for (const Post& post : last.posts)
      if (const auto* order = std::get_if<OrderJob>(&post)) orders.push_back(*order);
    return "";
  }
  std::string order(decltype(SagaOrder::what) what, const std::string& actor = "tester") {
    return tell(SagaOrder{std::move(what)}, actor);
  }
  JobId job_of(const std::string& step) const {
    for (const OrderJob& one : orders)
      if (one.step == step && one.undoes.empty()) return one.job;
    ADD_FAILURE() << "no job of " << step;
    return {};
  }
  /// The end of a step's job, which can be undone by `<step>.undo`.
  SettleJob end_of(const std::string& step, const std::string& state = "SUCCEEDED") const {
    SettleJob settle;
    settle.job = job_of(step);
    settle.state = state;
    settle.step = step;
    settle.withheld = state == "OUTPUT_QUARANTINED";
    settle.work_done = state == "SUCCEEDED" || settle.withheld;
    settle.output = Value::object({{"of", step}});
    settle.input = Value("in " + step);
    if (settle.work_done) settle.undo = Value::object({{"topic", "job." + step + ".undo"}});
    return settle;
  }
  std::string done(const std::string& step) { return tell(end_of(step)); }
  std::string fatal(const std::string& step) {
    SettleJob settle = end_of(step, "FAILED");
    settle.fatal = true;
    settle.error = Value::object({{"message", "broke"}});
    return tell(std::move(settle));
  }
  /// The end of the job that undoes something now.
  SettleJob end_of_undo(const std::string& state = "SUCCEEDED", const std::string& code = "") {
    SettleJob settle;
    settle.job = orders.back().job;
    EXPECT_FALSE(orders.back().undoes.empty());
    settle.state = state;
    settle.reason_code = code;
    return settle;
  }
  std::string undo_ends(const std::string& state = "SUCCEEDED", const std::string& code = "") {
    return tell(end_of_undo(state, code));
  }
  /// The worker of a stopped job had let go at once.
  std::string let_go(const std::string& step) { return tell(end_of(step, "CANCELLED")); }
  std::string topic() const { return std::string(orders.back().request.get("topic").as_string()); }
  const SagaEntry& entry(uint32_t seq) const { return *run.saga.find(seq); }
  std::string status(uint32_t seq) const { return std::string(name_of(entry(seq).status)); }
  std::vector<std::string> awaited() const {
    std::vector<std::string> jobs;
    for (const AwaitedStop& stop : run.saga.awaited) jobs.push_back(stop.job.text());
    return jobs;
  }

 private:
  struct Shared {};
  explicit SagaRun(Shared) {}
};

}  // namespace fermata::saga
