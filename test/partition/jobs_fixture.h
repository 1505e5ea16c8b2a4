#pragma once
#include "core/job/history.h"
#include "test/partition/waiting_store.h"

namespace fermata {

/// A host with a worker or two that speak to it directly.
class JobsTest : public HostTest {
 protected:
  JobsTest() {
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
                     {"id":"j","name":"J","type":"job",
                      "parameters":{"topic":"pay","input":{"n":1}}}],
            "edges":[{"id":"1","src":"t","dst":"j"}],"result":"{{ $J.output }}"})"));
    EXPECT_TRUE(checked.definition) << (checked.errors.empty() ? "" : checked.errors[0].message);
    definitions.only = checked.definition;
  }

  void submit(const std::string& id, const std::string& topic = "pay") {
    job::SubmitJob body;
    body.account = AccountId("acme");
    body.request.topic = job::full_topic(topic);
    body.request.input = job::Payload::of(Value(1));
    body.submitter = "key";
    order(id, std::move(body));
  }
  void order(const std::string& id, job::CommandBody body) {
    bool taken = host().submit_job({JobId(id), std::move(body), "tester"},
                                   [this](Outcome<JobTold> outcome) { told_job = outcome; });
    EXPECT_TRUE(taken);
  }
  void with(std::function<void(Workers&)> visit) {
    EXPECT_TRUE(host().with_workers(std::move(visit)));
  }
  void enroll(const std::string& name) {
    with([name](Workers& workers) {
      fleet::WorkerCard card;
      card.worker = WorkerId(name);
      card.topics = {"*"};
      card.max_parallel = 4;
      fleet::normalize(card);
      workers.enroll(RegistrationId("reg-" + name), card, {});
    });
  }
  void claim(const std::string& name, uint64_t seq, int64_t wait_ms = 10'000) {
    with([this, name, seq, wait_ms](Workers& workers) {
      workers.claim(RegistrationId("reg-" + name), seq, 4, wait_ms,
                    [this](Outcome<Workers::Claimed> claimed) {
                      ++claims_answered;
                      if (claimed) delivered = claimed->jobs;
                    });
    });
  }
  void report(const std::string& name, const Value& job,
              job::AttemptOutcome status = job::AttemptOutcome::succeeded,
              Value output = Value("done")) {
    ReportedResult result;
    result.job = JobId(std::string(job.get("job_id").as_string()));
    result.fence = static_cast<uint64_t>(job.get("fence").as_integer());
    result.attempt = static_cast<uint32_t>(job.get("attempt").as_integer());
    result.report.status = status;
    if (status == job::AttemptOutcome::succeeded)
      result.report.output = job::Payload::of(std::move(output));
    else
      result.report.error = job::make_error("broken", "it broke");
    with([this, name, result](Workers& workers) {
      workers.report(RegistrationId("reg-" + name), {result},
                     [this](Outcome<std::vector<job::Answer>> answers) {
                       report_answer = answers ? std::string(name_of(answers->at(0)))
                                               : std::string(name_of(answers.error().code));
                     });
    });
  }
  job::Job job(const std::string& id) {
    StoredJob stored = *store.memory.find_job(JobId(id));
    EXPECT_GT(stored.version, 0u) << id;
    return *job::fold(JobId(id), stored.history);
  }
  uint64_t version(const std::string& id) { return store.memory.find_job(JobId(id))->version; }

  Outcome<JobTold> told_job = fail(ErrorCode::internal, "nothing was answered");
  std::vector<Value> delivered;
  int claims_answered = 0;
  std::string report_answer;
};

}  // namespace fermata
