#include <algorithm>

#include "test/partition/waiting_store.h"

/// How the host goes about waits: who is served first, a store that is away, limits, zone data.
namespace fermata {
namespace {

class WaitTurns : public HostTest {
 protected:
  void use(const std::string& parameters) {
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"w","type":"wait",
            "parameters":)" +
        parameters + R"(}],"edges":[{"id":"1","src":"t","dst":"w"}]})"));
    ASSERT_TRUE(checked.definition) << checked.errors[0].message;
    definitions.only = checked.definition;
  }
  void start_for(const std::string& account, const std::string& run) {
    StartRun body;
    body.account = AccountId(account);
    body.workflow = WorkflowId("w");
    body.definition = definitions.only;
    send(run, std::move(body), run);
  }
  size_t place_of(const std::string& run) const {
    auto found = std::find(told.runs.begin(), told.runs.end(), run);
    return static_cast<size_t>(found - told.runs.begin());
  }
  Wait wait_of(const std::string& run) {
    return store.memory.waits_of(RunId(run), "w")->at(0).wait;
  }
  std::vector<AuditLine> audited(const std::string& action) {
    std::vector<AuditLine> lines;
    AuditFilter filter{.account = AccountId("acme"), .action = action};
    auto page = store.memory.audit(filter, 100, "");
    for (const AuditEntry& entry : page->items) lines.push_back(entry.line);
    return lines;
  }
};

constexpr const char* half_an_hour = R"({"wait_type":"fixed_time","duration":30,"unit":"minutes"})";

// W-95, W-67: round robin over accounts.
TEST_F(WaitTurns, herd_of_one_account_does_not_hold_up_another) {
  use(half_an_hour);
  settings.turn_commands_max = 64;
  for (int i = 0; i < 400; ++i) start_for("crowd", "c" + std::to_string(i));
  settle();
  clock.advance(Duration{5});
  start_for("single", "s");
  settle();
  told.runs.clear();
  clock.advance(Duration{31 * 60'000});
  settle();
  EXPECT_EQ(told.runs.size(), 401u);
  EXPECT_LT(place_of("s"), 64u) << "it waits for the herd to pass";
  EXPECT_LT(place_of("c0"), place_of("c300")) << "within an account the earliest goes first";
}

// W-95: due waits take at most half of a turn while commands wait.
TEST_F(WaitTurns, commands_and_due_waits_share_a_turn) {
  use(half_an_hour);
  settings.turn_commands_max = 64;
  for (int i = 0; i < 300; ++i) start_for("crowd", "c" + std::to_string(i));
  settle();
  clock.advance(Duration{31 * 60'000});
  for (int i = 0; i < 300; ++i) start_for("crowd", "new" + std::to_string(i));
  told.runs.clear();
  settle();
  EXPECT_EQ(told.runs.size(), 600u);
  auto fresh = [](const std::string& run) { return run.starts_with("new"); };
  auto among_first = [&](size_t count) {
    return static_cast<size_t>(
        std::count_if(told.runs.begin(), told.runs.begin() + static_cast<long>(count), fresh));
  };
  EXPECT_GE(among_first(128), 40u) << "commands wait for the herd";
  EXPECT_LE(among_first(128), 90u) << "the herd waits for commands";
}

// W-66: the store being away is never the wait's fault.
TEST_F(WaitTurns, resume_is_tried_again_until_the_store_is_back) {
  use(half_an_hour);
  start_for("acme", "r");
  settle();
  clock.advance(Duration{30 * 60'000});
  std::vector<int64_t> delays;
  for (int i = 0; i < 4; ++i) {
    store.fails_once_with = CommitOutcome::unavailable;
    Instant now = clock.now();
    settle();
    NextTurn next = host().turn();
    ASSERT_TRUE(next.at);
    delays.push_back((*next.at - now).ms);
    clock.advance(*next.at - now);
  }
  EXPECT_EQ(delays, (std::vector<int64_t>{1'000, 2'000, 4'000, 8'000}));
  EXPECT_EQ(host().counters().resumes_delayed, 4u);
  settle();
  EXPECT_EQ(stored("r").summary.status, RunStatus::completed);
  EXPECT_EQ(wait_of("r").retries, 0u) << "the store's trouble is not counted as the wait's";
}

// W-66
TEST_F(WaitTurns, what_waited_for_the_store_goes_on_as_soon_as_it_is_back) {
  use(half_an_hour);
  start_for("acme", "r");
  settle();
  clock.advance(Duration{30 * 60'000});
  for (int i = 0; i < 6; ++i) {
    store.fails_once_with = CommitOutcome::unavailable;
    settle();
    clock.advance(*host().turn().at - clock.now());
  }
  store.fails_once_with = CommitOutcome::unavailable;
  settle();
  // It would be tried again in a minute or so; somebody else finds the store well before.
  start_for("acme", "other");
  settle();
  EXPECT_EQ(stored("r").summary.status, RunStatus::completed);
}

bool resumes(const CommitBatch& batch) {
  for (const RunWrite& run : batch.runs)
    for (const WaitRecord& record : run.waits)
      if (record.wait.status == WaitStatus::resumed) return true;
  return false;
}

// S-35, W-66
TEST_F(WaitTurns, resume_that_is_not_taken_is_tried_three_times_more_and_then_given_up) {
  use(half_an_hour);
  start_for("acme", "r");
  settle();
  clock.advance(Duration{30 * 60'000});
  store.refuses = resumes;
  std::vector<int64_t> rests;
  for (int i = 0; i < 10 && !is_terminal(stored("r").summary.status); ++i) {
    settle();
    if (is_terminal(stored("r").summary.status)) break;
    EXPECT_EQ(wait_of("r").retries, rests.size() + 1);
    // A restart in between forgets nothing.
    restart();
    ASSERT_TRUE(host().recover());
    settle();
    Instant next = *stored("r").summary.next_due;
    rests.push_back((next - clock.now()).ms);
    clock.advance(next - clock.now());
  }
  EXPECT_EQ(rests, (std::vector<int64_t>{1'000, 2'000, 4'000}));
  EXPECT_EQ(stored("r").summary.status, RunStatus::failed);
  EXPECT_EQ(wait_of("r").status, WaitStatus::error);
  EXPECT_EQ(audited("wait.error").size(), 1u);
  auto letters = store.memory.dead_letters({.account = AccountId("acme")}, 10, "");
  ASSERT_EQ(letters->items.size(), 1u);
  EXPECT_EQ(letters->items[0].letter.reason_code, "wait_resume_failed");
  EXPECT_EQ(letters->items[0].letter.step_id, "w");
  EXPECT_EQ(letters->items[0].letter.attempts, 4u);
}

// W-66: what is taken after all goes on, and others are not held up.
TEST_F(WaitTurns, resume_that_is_taken_at_the_second_try_goes_on) {
  use(half_an_hour);
  start_for("acme", "r");
  settle();
  clock.advance(Duration{30 * 60'000});
  store.refuses = resumes;
  settle();
  EXPECT_EQ(host().counters().resumes_delayed, 1u);
  store.refuses = {};
  start_for("acme", "other");
  settle();
  EXPECT_EQ(stored("r").summary.status, RunStatus::waiting) << "its second has not passed";
  clock.advance(Duration{1'000});
  settle();
  EXPECT_EQ(stored("r").summary.status, RunStatus::completed);
  EXPECT_EQ(wait_of("r").retries, 1u);
  EXPECT_EQ(wait_of("r").resumed_by, "scheduler");
}

struct OneAccount final : AccountSource {
  std::shared_ptr<const AccountTable> accounts() override { return table; }
  void limit(int64_t waits, int64_t listeners = 0) {
    AccountSettings settings;
    settings.limits = {
        .waits_per_execution = 0, .waits_per_account = waits, .listeners_per_minute = listeners};
    auto next = std::make_shared<AccountTable>();
    next->settings[AccountId("acme")] = std::make_shared<AccountSettings>(settings);
    table = std::move(next);
  }
  std::shared_ptr<const AccountTable> table = std::make_shared<AccountTable>();
};

// W-80
TEST_F(WaitTurns, limit_holds_over_a_restart_and_a_commit_that_fails) {
  use(half_an_hour);
  OneAccount limits;
  limits.limit(2);
  accounts = &limits;
  store.fails_once_with = CommitOutcome::unavailable;
  start_for("acme", "lost");
  settle();
  EXPECT_EQ(answers.back(), "lost refused");
  for (const char* run : {"a", "b", "c", "d"}) {
    clock.advance(Duration{1});
    start_for("acme", run);
    settle();
  }
  EXPECT_EQ(wait_of("a").hold + "," + wait_of("b").hold, ",") << "what was lost takes no room";
  EXPECT_EQ(wait_of("c").hold + "," + wait_of("d").hold, "limit,limit");
  restart();
  ASSERT_TRUE(host().recover());
  settle();
  EXPECT_EQ(wait_of("c").hold, "limit");
  limits.limit(3);
  settle();
  EXPECT_EQ(wait_of("c").hold, "") << "whoever came first comes in first";
  EXPECT_EQ(wait_of("d").hold, "limit");
  limits.limit(0);
  settle();
  EXPECT_EQ(wait_of("d").hold, "");
  EXPECT_EQ(*wait_of("d").due, wait_of("d").reached_at + Duration{30 * 60'000});
}

// W-80: listeners come in as the minute goes by.
TEST_F(WaitTurns, listeners_beyond_their_rate_come_in_later) {
  use(R"({"wait_type":"for_event","event_type":"email_open","scope":"execution",
          "timeout_hours":5})");
  OneAccount limits;
  limits.limit(0, 2);
  accounts = &limits;
  for (const char* run : {"a", "b", "c"}) {
    clock.advance(Duration{1});
    start_for("acme", run);
  }
  settle();
  EXPECT_EQ(wait_of("b").hold, "");
  EXPECT_EQ(wait_of("c").hold, "limit");
  NextTurn next = host().turn();
  ASSERT_TRUE(next.at);
  EXPECT_LE((*next.at - clock.now()).ms, 30'000);
  clock.advance(Duration{30'000});
  settle();
  EXPECT_EQ(wait_of("c").hold, "");
}

struct ChangingZones final : ZoneSource {
  std::shared_ptr<const ZoneTable> zones(Instant) override { return table; }
  void law(const std::string& version, int hours) {
    auto zone = std::make_shared<const Zone>(Zone::fixed(hours * 3600, "LAW"));
    table = std::make_shared<const ZoneTable>(
        version, std::vector<ZoneTable::Named>{{"Europe/Berlin", std::move(zone)}});
  }
  std::shared_ptr<const ZoneTable> table;
};

// S-38, W-48
TEST_F(WaitTurns, pending_waits_follow_zone_data_and_the_audit_tells_of_it) {
  use(R"({"wait_type":"until_time","target_time":"18:00","timezone":"Europe/Berlin"})");
  ChangingZones laws;
  laws.law("2026a", 1);
  zones = &laws;
  for (int i = 0; i < 150; ++i) start_for("acme", "r" + std::to_string(i));
  settle();
  Instant before = *wait_of("r0").due;
  laws.law("2026b", 2);
  // What is decided and not durable yet follows too.
  store.holds = true;
  settle();
  store.holds = false;
  settle();
  for (int i : {0, 77, 149}) {
    Wait wait = wait_of("r" + std::to_string(i));
    EXPECT_EQ(*wait.due, before - Duration{3'600'000}) << i;
    EXPECT_EQ(wait.intent.get("tzdata_version"), Value("2026b"));
  }
  auto lines = audited("wait.rescheduled");
  ASSERT_EQ(lines.size(), 100u) << "a full page of them";
  EXPECT_EQ(lines[0].details.get("cause"), Value("tzdata"));
  EXPECT_EQ(lines[0].details.get("from"), Value(to_rfc3339(before)));
  EXPECT_EQ(lines[0].details.get("to"), Value(to_rfc3339(before - Duration{3'600'000})));
  EXPECT_EQ(lines[0].details.get("version"), Value("2026b"));
  // W-87: that the data changed is told once, to whoever has waits that follow and to who runs it.
  auto changed = audited("tzdata.changed");
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(to_json(changed[0].details), R"({"to":"2026b","from":"2026a"})");
  EXPECT_EQ(
      store.memory.audit({.account = AccountId("default"), .action = "tzdata.changed"}, 9, "")
          ->items.size(),
      1u);
  clock.advance(before - Duration{3'600'001} - clock.now());
  settle();
  EXPECT_EQ(stored("r0").summary.status, RunStatus::waiting);
  clock.advance(Duration{1});
  settle();
  EXPECT_EQ(stored("r0").summary.status, RunStatus::completed);
}

}  // namespace
}  // namespace fermata
