#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

/// Every metric of jobs, policy, approvals and sagas that exists, driven by what it counts. The
/// names come from the answer itself: one that is added fails here until something drives it.
class JobMetricsDriven : public Jobs {
 protected:
  void govern(const std::string& rules) {
    Answer answer =
        world.ask("PUT", "/api/v1/policy/base",
                  R"({"version":1,"default_decision":"allow","rules":[)" + rules + "]}");
    ASSERT_EQ(answer.status, 200) << answer.text;
  }
  std::string submit(const std::string& topic, Value more = Value::object()) {
    more.set("topic", topic);
    Answer answer = post("/jobs", more);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return text(answer.body.get("id"));
  }
  Value next(const std::string& worker) {
    Value jobs = claim(worker, ++seq_).get("jobs");
    EXPECT_EQ(jobs.size(), 1u);
    return jobs.size() == 1 ? jobs.items()[0] : Value();
  }
  /// Samples by the family they belong to, largest value each.
  std::map<std::string, double> families() {
    std::map<std::string, double> out;
    std::string metrics = world.ask("GET", "/metrics").text, family;
    for (size_t at = 0; at < metrics.size();) {
      size_t end = std::min(metrics.find('\n', at), metrics.size());
      std::string line = metrics.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("# TYPE ")) {
        family = line.substr(7, line.find(' ', 7) - 7);
        out.try_emplace(family, -1);
      } else if (!line.starts_with('#') && !line.empty()) {
        double value = std::strtod(line.substr(line.rfind(' ')).c_str(), nullptr);
        out[family] = std::max(out[family], value);
      }
    }
    return out;
  }
  int seq_ = 0;
};

// J-90, J-91
TEST_F(JobMetricsDriven, each_one_moves_when_what_it_counts_happens) {
  govern(R"({"id":"no","match":{"topics":["no"]},"decision":"deny"},
            {"id":"ask","match":{"topics":["ask"]},"decision":"require_approval"})");
  std::map<std::string, double> peak;
  auto look = [&] {
    for (const auto& [family, value] : families()) {
      double& highest = peak.try_emplace(family, value).first->second;
      highest = std::max(highest, value);
    }
  };
  look();
  submit("no");
  std::string asked = submit("ask");
  look();
  Value hash = Value::object({{"hash", get("/jobs/" + asked).body.get("request_hash")}});
  ASSERT_EQ(post("/jobs/" + asked + "/approve", hash).status, 200);
  world.advance(Duration{2'000});
  look();
  std::string worker = enroll();
  report(worker, result_of(next(worker), "failed", Value::object()));
  look();
  Value undo =
      Value::object({{"saga_id", "s"}, {"compensation", Value::object({{"topic", "undo"}})}});
  submit("do", undo);
  report(worker, result_of(next(worker), "succeeded", Value::object()));
  submit("do", Value::object({{"saga_id", "s"}}));
  Value fatal = next(worker);
  look();
  report(worker, result_of(fatal, "failed_fatal", Value::object()));
  look();
  report(worker, result_of(next(worker), "failed", Value::object()));
  look();
  ASSERT_EQ(post("/executions/s/saga/1/skip", Value::object({{"reason", "x"}})).status, 200);
  report(worker, result_of(fatal, "succeeded", Value::object()));
  look();

  // What only a fault of the engine itself or another part of it moves has tests of its own.
  const std::set<std::string> elsewhere = {"fermata_stale_jobs", "fermata_orphan_replayed_total",
                                           "fermata_saga_unmarshal_error_total"};
  const char* prefixes[] = {"fermata_job",      "fermata_saga",          "fermata_policy_",
                            "fermata_approval", "fermata_safety_denied", "fermata_dispatch",
                            "fermata_worker",   "fermata_leases",        "fermata_dlq"};
  size_t driven = 0;
  for (const auto& [family, highest] : peak) {
    bool ours = std::any_of(std::begin(prefixes), std::end(prefixes),
                            [&](const char* prefix) { return family.starts_with(prefix); });
    if (!ours || elsewhere.contains(family) || family == "fermata_policy_load_failed_total")
      continue;
    ++driven;
    EXPECT_GT(highest, 0) << family << " is driven by nothing";
  }
  EXPECT_GE(driven, 20u);
  for (const char* name : {"fermata_jobs_received_total",
                           "fermata_jobs_dispatched_total",
                           "fermata_jobs_completed_total",
                           "fermata_safety_denied_total",
                           "fermata_dispatch_latency",
                           "fermata_stale_jobs",
                           "fermata_orphan_replayed_total",
                           "fermata_saga_recorded_total",
                           "fermata_saga_rollback_triggered_total",
                           "fermata_saga_compensation_dispatched_total",
                           "fermata_saga_compensation_failed_total",
                           "fermata_saga_rollback_duration",
                           "fermata_saga_active",
                           "fermata_saga_unmarshal_error_total",
                           "fermata_job_queue_depth",
                           "fermata_job_queue_oldest_seconds",
                           "fermata_job_attempts_total",
                           "fermata_worker_reports_rejected_total",
                           "fermata_leases_held",
                           "fermata_workers",
                           "fermata_approvals_pending",
                           "fermata_approval_wait",
                           "fermata_policy_decisions_total",
                           "fermata_policy_eval",
                           "fermata_policy_load_failed_total",
                           "fermata_dlq_open",
                           "fermata_saga_parked",
                           "fermata_job_lock_wait",
                           "fermata_active_goroutines"})
    EXPECT_TRUE(peak.contains(name)) << name;
}

}  // namespace
}  // namespace fermata::server
