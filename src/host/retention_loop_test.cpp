#include "host/retention_loop.h"

#include <gtest/gtest.h>

#include <thread>

namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;

struct HandClock final : Clock {
  Instant now() const override { return Instant{1'000 * day_ms}; }
};

/// Answers what it is told to and remembers what it was asked.
struct HandRetention final : Retention {
  Outcome<Referred> referred(uint64_t after, size_t) override {
    asked.push_back("referred " + std::to_string(after));
    if (on_referred) on_referred();
    return Referred{{RunId("kept-" + std::to_string(after))}, after + 1, after < 1};
  }
  Outcome<RunSweep> remove_runs(uint64_t after, Instant before, const std::set<RunId>& kept,
                                size_t limit) override {
    asked.push_back("runs " + std::to_string(after) + " before " +
                    std::to_string(before.ms / day_ms) + " but " + std::to_string(kept.size()));
    EXPECT_LE(limit, 200u) << "C-20";
    return RunSweep{5, after + 200, after < 200};
  }
  Outcome<void> remove_run(const RunId&, const AuditLine&) override { return {}; }
  Outcome<RunSweep> remove_jobs(uint64_t after, Instant before, size_t limit) override {
    asked.push_back("jobs " + std::to_string(after) + " before " +
                    std::to_string(before.ms / day_ms));
    EXPECT_LE(limit, 200u) << "C-20";
    return RunSweep{4, after + 200, after < 200};
  }
  Outcome<Sweep> remove_dead_letters(Instant before, size_t) override {
    asked.push_back("letters before " + std::to_string(before.ms / day_ms));
    return Sweep{2, false};
  }
  Outcome<Sweep> trim_dead_letters(uint64_t most, size_t) override {
    asked.push_back("at most " + std::to_string(most) + " letters");
    return Sweep{3, false};
  }
  Outcome<Sweep> remove_blobs(Instant before, size_t) override {
    asked.push_back("blobs before " + std::to_string(before.ms / day_ms));
    return Sweep{1, false};
  }
  Outcome<Sweep> remove_remains(size_t) override {
    asked.push_back("remains");
    return Sweep{3, ++remains < 3};
  }
  Outcome<Sweep> remove_audit(Instant before, size_t) override {
    asked.push_back("audit before " + std::to_string(before.ms / day_ms));
    if (audit_fails) return fail(ErrorCode::store_unavailable, "the disk is full");
    return Sweep{7, false};
  }
  Outcome<AuditRoot> audit_root(const AccountId&) override { return AuditRoot{}; }
  Outcome<Sweep> remove_bulks(Instant before, size_t) override {
    asked.push_back("bulks before " + std::to_string(before.ms / day_ms));
    return Sweep{1, false};
  }
  Outcome<Sweep> remove_schedules(Instant, Duration deleted_for, size_t) override {
    asked.push_back("schedules deleted for " + std::to_string(deleted_for.ms / day_ms));
    return Sweep{2, false};
  }
  Outcome<Sweep> remove_decisions(Instant before, size_t) override {
    asked.push_back("decisions before " + std::to_string(before.ms / day_ms));
    return Sweep{1, false};
  }
  Outcome<Sweep> remove_signals(Instant, size_t) override {
    asked.push_back("signals");
    return Sweep{6, false};
  }
  Outcome<Sweep> remove_marks(Instant, size_t) override {
    asked.push_back("marks");
    return Sweep{};
  }
  Outcome<Sweep> remove_definitions(Instant, Duration unused_for, size_t) override {
    asked.push_back("definitions");
    EXPECT_EQ(unused_for.ms, day_ms);
    return Sweep{2, false};
  }

  std::vector<std::string> asked;
  std::function<void()> on_referred;
  int remains = 0;
  bool audit_fails = false;
};

class Retained : public testing::Test {
 protected:
  HandRetention retention;
  HandClock clock;
  RetentionSettings settings;
};

TEST_F(Retained, one_round_removes_everything_that_is_old_enough) {
  RetentionLoop loop(retention, clock, settings);
  ASSERT_TRUE(loop.round());
  EXPECT_EQ(retention.asked,
            (std::vector<std::string>{
                "referred 0", "referred 1", "runs 0 before 970 but 2", "runs 200 before 970 but 2",
                "bulks before 970", "schedules deleted for 30", "letters before 970",
                "at most 100000 letters", "jobs 0 before 993", "jobs 200 before 993",
                "blobs before 999", "remains", "remains", "remains", "audit before 910",
                "decisions before 910", "marks", "signals", "definitions"}));
  EXPECT_EQ(loop.counts().jobs, 8u);
  EXPECT_EQ(loop.counts().dead_letters, 5u);
  EXPECT_EQ(loop.counts().blobs, 1u);
  EXPECT_EQ(loop.counts().runs, 10u);
  EXPECT_EQ(loop.counts().audit_lines, 7u);
  EXPECT_EQ(loop.counts().signals, 6u);
  EXPECT_EQ(loop.counts().schedules, 2u);
  EXPECT_EQ(loop.counts().definitions, 2u);
}

TEST_F(Retained, what_is_kept_for_ever_is_not_looked_at) {
  settings.run_days = 0;
  settings.audit_days = 0;
  settings.job_days = 0;
  settings.dead_letter_days = 0;
  RetentionLoop loop(retention, clock, settings);
  ASSERT_TRUE(loop.round());
  for (const std::string& question : retention.asked)
    for (const char* kept : {"runs", "bulks", "audit", "decisions", "jobs", "letters"})
      EXPECT_FALSE(question.starts_with(kept)) << question;
}

TEST_F(Retained, nothing_is_removed_before_all_is_known_that_is_needed) {
  RetentionLoop loop(retention, clock, settings);
  retention.on_referred = [&] { loop.stop(); };
  ASSERT_TRUE(loop.round());
  for (const std::string& question : retention.asked) EXPECT_FALSE(question.starts_with("runs"));
}

TEST_F(Retained, round_that_fails_is_told_and_repeated) {
  settings.interval_ms = 1;
  settings.pause_ms = 0;
  retention.audit_fails = true;
  RetentionLoop loop(retention, clock, settings);
  std::vector<std::string> told;
  loop.on_failure = [&](const Error& error) {
    told.push_back(error.message);
    if (told.size() == 3) loop.stop();
  };
  std::thread thread([&] { loop.run(); });
  thread.join();
  EXPECT_EQ(told, std::vector<std::string>(3, "the disk is full"));
}

TEST_F(Retained, stopping_does_not_wait_for_the_next_round) {
  RetentionLoop loop(retention, clock, settings);
  std::thread thread([&] { loop.run(); });
  loop.stop();
  thread.join();
}

}  // namespace
}  // namespace fermata
