#include <atomic>
#include <thread>

#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

// The partition commits while others read, write the catalog and checkpoint; run under TSan too.
TEST(SqliteThreads, readers_and_catalog_writers_work_beside_commits) {
  ScratchDirectory scratch;
  SqliteOptions options;
  options.checkpoint_pages = 64;
  options.readers_max = 2;
  auto store = open_store(scratch / "data", options);
  std::atomic<int> committed = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        int at_least = committed;
        auto page = store->list({.account = AccountId("acme")}, 1000, "");
        ASSERT_TRUE(page) << page.error().message;
        ASSERT_GE(page->items.size(), static_cast<size_t>(std::min(at_least, 1000)));
        auto counts = store->counts({});
        ASSERT_TRUE(counts);
        if (at_least > 0) {
          auto run = store->find(RunId("r" + std::to_string(at_least - 1)), 1, SIZE_MAX);
          ASSERT_TRUE(run) << run.error().message;
          ASSERT_GE(run->version, 1u);
        }
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; !stop; ++i) {
      KeyRecord key;
      key.id = "k" + std::to_string(i % 5);
      ASSERT_TRUE(store->put_key(key, line("key")));
      store->key_used(key.id, Instant{i});
      ASSERT_TRUE(store->key(key.id)->has_value());
      IdempotencyMark mark{AccountId("acme"), "m" + std::to_string(i), "", 201, "", Instant{i}};
      ASSERT_TRUE(store->put_mark(mark));
      ASSERT_TRUE(store->mark(mark.account, mark.key, Instant{i - 10}));
    }
  });
  for (int i = 0; i < 400; ++i) {
    std::string id = "r" + std::to_string(i);
    ASSERT_EQ(commit_one(*store, creation(id)), CommitOutcome::done);
    committed = i + 1;
    ASSERT_EQ(commit_one(*store, next_write(*load_one(*store, id))), CommitOutcome::done);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  store.reset();
  CountingVisitor visitor;
  ASSERT_TRUE(visit_sqlite(scratch / "data", visitor));
  EXPECT_EQ(visitor.runs, 400u);
  EXPECT_EQ(visitor.damages, std::vector<std::string>{});
}

// Batches are under way on the store's own thread while this one loads and others read.
TEST(SqliteThreads, batches_are_submitted_beside_readers_and_catalog_writers) {
  ScratchDirectory scratch;
  SqliteOptions options;
  options.checkpoint_pages = 64;
  auto store = open_store(scratch / "data", options);
  std::atomic<bool> stop = false;
  std::atomic<int> rung = 0;
  store->on_answer([&] { ++rung; });
  std::thread reading([&] {
    while (!stop) ASSERT_TRUE(store->list({.account = AccountId("acme")}, 100, ""));
  });
  std::thread writing([&] {
    for (int i = 0; !stop; ++i) {
      KeyRecord key;
      key.id = "k" + std::to_string(i % 5);
      ASSERT_TRUE(store->put_key(key, line("key")));
    }
  });
  constexpr int rounds = 60, runs = 20;
  for (int round = 0; round < rounds; ++round) {
    std::vector<RunWrite> writes;
    for (int i = 0; i < runs; ++i)
      writes.push_back(creation(std::to_string(round) + "." + std::to_string(i)));
    store->submit(batch_of(std::move(writes)));
    if (round > 0) EXPECT_EQ(version_of(*store, std::to_string(round - 1) + ".7"), 1u);
    std::optional<CommitAnswer> answer;
    while (!answer) answer = store->harvest();
    EXPECT_EQ(answer->outcomes, std::vector(runs, CommitOutcome::done));
  }
  store->on_answer({});
  EXPECT_EQ(rung, rounds);
  stop = true;
  reading.join();
  writing.join();
}

TEST(SqliteThreads, log_is_used_again_under_constant_load) {
  ScratchDirectory scratch;
  SqliteOptions options;
  options.checkpoint_pages = 50;
  auto store = open_store(scratch / "data", options);
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i), 2000)), CommitOutcome::done);
  }
  // 1,500 commits wrote some 15,000 pages; without a checkpoint all of them were in the log.
  EXPECT_LT(std::filesystem::file_size(scratch / "data/fermata.db-wal"), 5'000u * 4120u);
}

}  // namespace
}  // namespace fermata::sqlite
