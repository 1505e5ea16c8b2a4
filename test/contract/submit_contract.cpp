#include <chrono>
#include <condition_variable>
#include <mutex>

#include "test/contract/stores.h"

namespace fermata {
namespace {

/// Submits and waits for the answer, for which the store rings unless it is there at once.
CommitAnswer submitted(Store& store, CommitBatch batch) {
  std::mutex mutex;
  std::condition_variable rung;
  bool ringing = false;
  store.on_answer([&] {
    std::lock_guard lock(mutex);
    ringing = true;
    rung.notify_one();
  });
  store.submit(std::move(batch));
  std::optional<CommitAnswer> answer = store.harvest();
  if (!answer) {
    {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(rung.wait_for(lock, std::chrono::seconds(60), [&] { return ringing; }));
    }
    answer = store.harvest();
  }
  store.on_answer({});
  EXPECT_TRUE(answer);
  EXPECT_FALSE(store.harvest());
  return answer ? *std::move(answer) : CommitAnswer{};
}

// A few runs are written on the spot, many by a thread of their own.
TEST_P(StoreContract, submitted_batch_comes_back_once_with_its_outcomes) {
  ASSERT_EQ(commit(creation("taken")), CommitOutcome::done);
  for (int size : {1, 2, 40, 300}) {
    CommitBatch batch;
    for (int i = 0; i < size; ++i)
      batch.runs.push_back(creation(std::to_string(size) + "." + std::to_string(i)));
    batch.runs.push_back(creation("taken"));
    std::vector<CommitOutcome> expected(static_cast<size_t>(size), CommitOutcome::done);
    expected.push_back(CommitOutcome::conflict);
    CommitAnswer answer = submitted(store(), batch);
    EXPECT_EQ(answer.outcomes, expected);
    ASSERT_EQ(answer.batch.runs.size(), batch.runs.size());
    for (size_t i = 0; i < batch.runs.size(); ++i)
      EXPECT_EQ(answer.batch.runs[i].summary, batch.runs[i].summary);
    EXPECT_EQ(load(std::to_string(size) + ".0").version, 1u);
  }
  EXPECT_FALSE(store().harvest());
}

TEST_P(StoreContract, other_runs_are_loaded_while_a_batch_is_under_way) {
  ASSERT_EQ(commit(creation("before")), CommitOutcome::done);
  for (int round = 0; round < 20; ++round) {
    CommitBatch batch;
    for (int i = 0; i < 200; ++i)
      batch.runs.push_back(creation(std::to_string(round) + "." + std::to_string(i)));
    store().submit(std::move(batch));
    EXPECT_EQ(load("before").version, static_cast<uint64_t>(round) + 1);
    EXPECT_EQ(load("none").version, 0u);
    std::optional<CommitAnswer> answer;
    while (!answer) answer = store().harvest();
    EXPECT_EQ(answer->outcomes, std::vector(200, CommitOutcome::done));
    // What was durable before the next batch began is seen beside it.
    ASSERT_EQ(commit(next_write(load("before"))), CommitOutcome::done);
  }
}

TEST_P(StoreContract, submitted_batch_is_written_though_nobody_waits_for_it) {
  CommitBatch batch;
  for (int i = 0; i < 100; ++i) batch.runs.push_back(creation("r" + std::to_string(i)));
  store().submit(std::move(batch));
  reopen();
  EXPECT_EQ(load("r0").version, 1u);
  EXPECT_EQ(load("r99").version, 1u);
}

}  // namespace
}  // namespace fermata
