#include "server/feed_hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "server/end_wait.h"

namespace fermata::server {
namespace {

RunSummary run(const std::string& id, RunStatus status = RunStatus::running,
               const std::string& account = "a") {
  RunSummary summary;
  summary.id = RunId(id);
  summary.account = AccountId(account);
  summary.status = status;
  return summary;
}

std::string ids(const FeedHub::News& news) {
  std::string out;
  for (const auto& entry : news.runs) out += entry->id.text();
  return out;
}

TEST(FeedHub, tells_listeners_until_they_leave) {
  FeedHub hub;
  int of_run = 0;
  int of_account = 0;
  auto one = hub.watch_run(RunId("r"), [&](const RunSummary&) { ++of_run; });
  {
    auto two = hub.watch_account(AccountId("a"), [&](const RunSummary&) { ++of_account; });
    hub.committed(run("r"), {});
    hub.committed(run("s"), {});
    hub.committed(run("r", RunStatus::running, "b"), {});
  }
  hub.committed(run("r"), {});
  EXPECT_EQ(of_run, 3);
  EXPECT_EQ(of_account, 2);
}

TEST(FeedHub, news_give_the_latest_of_each_run_of_the_account) {
  FeedHub hub;
  uint64_t before = hub.end();
  hub.committed(run("x"), {});
  hub.committed(run("y"), {});
  hub.committed(run("z", RunStatus::running, "b"), {});
  hub.committed(run("x", RunStatus::completed), {});
  auto news = hub.news(AccountId("a"), before, 100);
  EXPECT_EQ(ids(news), "yx");
  EXPECT_EQ(news.runs[1]->status, RunStatus::completed);
  EXPECT_FALSE(news.lost);
  EXPECT_EQ(hub.news(AccountId("a"), news.next, 100).runs.size(), 0u);
}

TEST(FeedHub, who_falls_out_of_the_ring_is_told) {
  FeedHub hub(4);
  uint64_t before = hub.end();
  for (int i = 0; i < 6; ++i) hub.committed(run(std::to_string(i)), {});
  auto news = hub.news(AccountId("a"), before, 100);
  EXPECT_TRUE(news.lost);
  EXPECT_EQ(ids(news), "2345");
  EXPECT_TRUE(hub.news(AccountId("a"), 999, 100).lost);
}

TEST(FeedHub, news_come_in_pieces) {
  FeedHub hub;
  for (int i = 0; i < 5; ++i) hub.committed(run(std::to_string(i)), {});
  std::string seen;
  uint64_t after = 0;
  for (int i = 0; i < 3; ++i) {
    auto news = hub.news(AccountId("a"), after, 2);
    seen += ids(news);
    after = news.next;
  }
  EXPECT_EQ(seen, "01234");
}

TEST(FeedHub, counts_starts_and_ends) {
  FeedHub hub;
  hub.committed(run("a"), {1, 3, ""});
  hub.committed(run("a", RunStatus::failed), {4, 2, ""});
  hub.committed(run("b", RunStatus::completed), {1, 5, ""});
  auto counts = hub.counts();
  EXPECT_EQ(counts.commits, 3u);
  EXPECT_EQ(counts.events, 10u);
  EXPECT_EQ(counts.started, 2u);
  EXPECT_EQ(counts.ended[0], 1u);
  EXPECT_EQ(counts.ended[1], 1u);
}

TEST(FeedHub, listeners_come_and_go_while_news_arrive) {
  FeedHub hub(16);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) hub.committed(run("r"), {});
  });
  for (int i = 0; i < 2000; ++i) {
    auto count = std::make_shared<std::atomic<int>>(0);
    auto watch = hub.watch_run(RunId("r"), [count](const RunSummary&) { ++*count; });
    auto account = hub.watch_account(AccountId("a"), [count](const RunSummary&) { ++*count; });
  }
  stop = true;
  writer.join();
}

TEST(EndWait, an_end_before_the_question_is_not_missed) {
  FeedHub hub;
  Deadlines deadlines;
  auto wait = EndWait::begin(hub, deadlines, RunId("r"));
  hub.committed(run("r", RunStatus::completed), {});
  bool ended = false;
  wait->finish(std::chrono::hours(1), [&](bool did) { ended = did; });
  EXPECT_TRUE(ended);
}

TEST(EndWait, answers_once_by_the_end_or_by_the_deadline) {
  FeedHub hub;
  Deadlines deadlines;
  int calls = 0;
  auto wait = EndWait::begin(hub, deadlines, RunId("r"));
  wait->finish(std::chrono::hours(1), [&](bool ended) { calls += ended ? 1 : 100; });
  hub.committed(run("r"), {});
  EXPECT_EQ(calls, 0);
  hub.committed(run("r", RunStatus::failed), {});
  hub.committed(run("r", RunStatus::failed), {});
  EXPECT_EQ(calls, 1);

  std::mutex mutex;
  std::condition_variable changed;
  int late = 0;
  auto other = EndWait::begin(hub, deadlines, RunId("s"));
  other->finish(std::chrono::milliseconds(1), [&](bool ended) {
    std::lock_guard lock(mutex);
    late += ended ? 100 : 1;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return late == 1; }));
}

}  // namespace
}  // namespace fermata::server
