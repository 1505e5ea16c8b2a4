#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>

#include "bench/jobs.h"
#include "core/fleet/fleet.h"

/// (f) Finding a worker for a job and a job for a worker, without the store (J-96).
namespace fermata::bench {

namespace {

constexpr int pools = 100;
constexpr int workers_per_pool = 10;
constexpr uint32_t slots = 32;
constexpr int accounts = 50;
constexpr size_t rounds = 200'000;
const Instant now{1'800'000'000'000};

std::string pool_of(int i) { return "pool-" + std::to_string(i); }

fleet::PoolTablePtr table() {
  auto table = std::make_shared<fleet::PoolTable>();
  for (int i = 0; i < pools; ++i) {
    table->pools[pool_of(i)].max_concurrent = 10'000;
    table->topic_patterns.emplace_back("job.t" + std::to_string(i) + ".*",
                                       std::vector{pool_of(i), pool_of((i + 1) % pools)});
  }
  table->account_default.max_concurrent = 1'000'000;
  return table;
}

RegistrationId registration_of(int worker) { return RegistrationId("r" + std::to_string(worker)); }

void enroll_all(fleet::Fleet& fleet) {
  for (int i = 0; i < pools * workers_per_pool; ++i) {
    fleet::WorkerCard card;
    card.worker = WorkerId("w" + std::to_string(i));
    card.pool = pool_of(i % pools);
    card.topics = {"job.*"};
    card.max_parallel = slots;
    (void)fleet.enroll(now, registration_of(i), card, {});
    (void)fleet.claim(now, registration_of(i), 1, slots, 60'000);
  }
}

fleet::ReadyJob job_of(size_t i) {
  fleet::ReadyJob job;
  job.job = JobId("job-" + std::to_string(i));
  job.account = AccountId("account-" + std::to_string(i % accounts));
  job.topic = "job.t" + std::to_string(i % pools) + ".work";
  job.priority = i % 3 == 0 ? job::Priority::batch : job::Priority::interactive;
  job.ready_at = now;
  return job;
}

void print(const char* what, std::vector<int64_t>& nanos) {
  std::sort(nanos.begin(), nanos.end());
  auto at = [&](double share) {
    return static_cast<double>(nanos[static_cast<size_t>(share * double(nanos.size() - 1))]) / 1e3;
  };
  std::printf("  %-34s p50 %.1f us, p99 %.1f us, worst %.1f us\n", what, at(0.5), at(0.99), at(1));
}

}  // namespace

void measure_placement() {
  std::printf("(f) placement with %d workers in %d pools, %d accounts\n", pools * workers_per_pool,
              pools, accounts);
  fleet::Fleet fleet;
  fleet.use(now, table());
  enroll_all(fleet);
  std::vector<int64_t> offers;
  std::vector<int64_t> frees;
  std::deque<std::pair<fleet::LeaseKey, int>> held;
  uint64_t fence = 0;
  auto timed = [](std::vector<int64_t>& into, auto&& work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    into.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::steady_clock::now() - begin)
                       .count());
  };
  for (size_t i = 0; i < rounds; ++i) {
    // More than there are slots: some wait, and a slot that becomes free finds them.
    timed(offers, [&] { fleet.offer(now, job_of(i)); });
    if (held.size() >= size_t{pools} * workers_per_pool * slots - 1'000) {
      fleet::LeaseKey key = held.front().first;
      held.pop_front();
      timed(frees, [&] { fleet.free(now, key, false); });
    }
    for (const fleet::Assignment& one : fleet.take_assignments()) {
      job::Summary holder;
      holder.id = one.job;
      holder.fence = ++fence;
      (void)fleet.placed(now, one, holder);
      held.push_back({{one.job, fence}, 0});
    }
    for (const fleet::ClaimAnswer& answer : fleet.take_answers(now))
      (void)fleet.claim(now, answer.registration, answer.seq + 1, slots, 60'000);
  }
  print("a job that finds its worker", offers);
  print("a slot that finds its job", frees);
  std::printf("  goal: p99 < 50 us; %zu still wait\n", fleet.queue().size());
}

}  // namespace fermata::bench
