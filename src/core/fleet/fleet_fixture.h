#pragma once
#include <gtest/gtest.h>

#include "core/fleet/fleet.h"

namespace fermata::fleet {

/// A fleet and a store that takes every dispatch.
struct FleetFixture {
  Fleet fleet;
  Instant now{1'700'000'000'000};
  uint64_t fences = 0;

  explicit FleetFixture(Settings settings = {}) : fleet(std::move(settings)) {}

  static WorkerCard card(std::string worker, std::vector<std::string> topics = {"*"},
                         uint32_t slots = 10) {
    WorkerCard card;
    card.worker = WorkerId(std::move(worker));
    card.topics = std::move(topics);
    card.max_parallel = slots;
    normalize(card);
    return card;
  }
  static RegistrationId reg(const std::string& name) { return RegistrationId("r-" + name); }
  Fleet::Enrolled enroll(WorkerCard card, std::string id = "", std::vector<LeaseKey> resume = {}) {
    if (id.empty()) id = card.worker.text();
    return fleet.enroll(now, reg(id), std::move(card), resume);
  }
  ReadyJob job(std::string id, std::string topic = "job.a") const {
    ReadyJob job;
    job.job = JobId(std::move(id));
    job.account = AccountId("acme");
    job.topic = std::move(topic);
    job.ready_at = now;
    return job;
  }
  void offer(std::string id, std::string topic = "job.a") {
    fleet.offer(now, job(std::move(id), std::move(topic)));
  }
  void claim(const std::string& name, uint64_t seq, uint32_t slots = 1, int64_t wait_ms = 10'000) {
    auto answer = fleet.claim(now, reg(name), seq, slots, wait_ms);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_FALSE(*answer) << "an answer was repeated";
  }
  job::Summary holder(const Assignment& assignment) {
    job::Summary summary;
    summary.id = assignment.job;
    summary.account = assignment.taken.account;
    summary.topic = assignment.taken.topic;
    summary.fence = ++fences;
    summary.attempts = 1;
    summary.worker = assignment.worker;
    summary.registration = assignment.registration;
    summary.pool = assignment.pool;
    summary.claim_seq = assignment.claim_seq;
    summary.lease_ms = assignment.terms.lease_ms;
    return summary;
  }
  /// Commits every assignment; pairs as `job>worker`.
  std::vector<std::string> commit() {
    std::vector<std::string> pairs;
    for (const Assignment& assignment : fleet.take_assignments()) {
      pairs.push_back(assignment.job.text() + ">" + assignment.worker.text());
      EXPECT_FALSE(fleet.placed(now, assignment, holder(assignment)));
    }
    return pairs;
  }
  /// The answers that are due, after a commit.
  std::vector<ClaimAnswer> answers() { return fleet.take_answers(now); }
  /// A worker that holds one lease.
  LeaseKey lease(const std::string& worker, uint64_t seq, const std::string& job_id,
                 std::string topic = "job.a") {
    claim(worker, seq);
    offer(job_id, std::move(topic));
    EXPECT_EQ(commit().size(), 1u);
    auto given = answers();
    EXPECT_EQ(given.size(), 1u);
    return {JobId(job_id), fences};
  }
  Fleet::BeatAnswer beat(const std::string& worker, uint64_t last_seq,
                         const std::vector<LeaseKey>& leases) {
    Fleet::Beat beat;
    beat.last_seq = last_seq;
    for (const LeaseKey& key : leases) beat.leases.push_back({key, {}});
    auto answer = fleet.heartbeat(now, reg(worker), beat);
    EXPECT_TRUE(answer);
    return answer ? *answer : Fleet::BeatAnswer{};
  }
  void pass(int64_t ms) { now = now + Duration{ms}; }
};

using Pairs = std::vector<std::string>;

}  // namespace fermata::fleet
