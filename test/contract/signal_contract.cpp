#include <algorithm>

#include "base/json.h"
#include "test/contract/stores.h"

/// Signals are rows of a commit; what waits look back to and what a start needs is found by index
/// (W-50, W-56, W-90).
namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;

SignalWrite sample_signal(const std::string& id, int64_t received_ms,
                          const std::string& type = "email_open") {
  SignalWrite write;
  Signal& signal = write.record.signal;
  signal.account = AccountId("acme");
  signal.id = id;
  signal.type = type;
  signal.contact_id = "c-17";
  signal.data = Value::object({{"message_id", "m-9"}});
  signal.received_at = Instant{received_ms};
  write.record.expires_at = Instant{received_ms + day_ms};
  write.first = true;
  return write;
}

class SignalContract : public StoreContract {
 protected:
  void put(std::vector<SignalWrite> signals) {
    CommitBatch batch;
    batch.signals = std::move(signals);
    size_t count = batch.signals.size();
    EXPECT_EQ(store().commit(batch), std::vector(count, CommitOutcome::done));
  }
  std::optional<SignalRecord> loaded(const std::string& id, const std::string& account = "acme") {
    SignalKey key{AccountId(account), id};
    auto found = store().load_signals(std::span(&key, 1));
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->front() : std::nullopt;
  }
  std::vector<std::string> in(const SignalWindow& window, size_t limit = 2) {
    std::vector<std::string> ids;
    uint64_t after = 0;
    for (bool more = true; more;) {
      auto page = store().signals_in(window, after, limit);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const SignalRef& signal : page->signals) ids.push_back(signal->id);
      after = page->place;
      more = page->more;
    }
    return ids;
  }
  std::vector<std::string> listed(const SignalFilter& filter) {
    std::vector<std::string> ids;
    std::string cursor;
    do {
      auto page = reader().list_signals(filter, 2, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const SignalRecord& record : page->items) ids.push_back(record.signal.id);
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
  using Ids = std::vector<std::string>;
};

// W-50, W-90
TEST_P(SignalContract, signal_is_read_as_it_was_written) {
  SignalWrite full = sample_signal("ev-1", 1'000'000);
  Signal& signal = full.record.signal;
  signal.run = RunId("r1");
  signal.correlation_id = "m-9";
  signal.occurred_at = Instant{999'000};
  signal.phone = "+12125550100";
  signal.email = "ann@example.org";
  full.record.open = true;
  full.record.reach.waits = {Value::object({{"wait_id", "w1"}})};
  full.record.reach.ignored = {Value::object({{"wait_id", "w2"}, {"reason", "timeout"}})};
  full.record.reach.total = 1;
  full.record.reach.warnings = {"unknown_contact"};
  full.audit = {sample_line("ev-1")};
  SignalWrite bare = sample_signal("ev-2", 1'000'001);
  bare.record.signal.contact_id.clear();
  bare.record.signal.data = {};
  put({full, bare});
  reopen();
  EXPECT_EQ(loaded("ev-1"), full.record);
  EXPECT_EQ(loaded("ev-2"), bare.record);
  EXPECT_EQ(*reader().find_signal({AccountId("acme"), "ev-1"}), full.record);
  EXPECT_EQ(loaded("ev-1", "other"), std::nullopt);
  EXPECT_EQ(loaded("ev-3"), std::nullopt);
  EXPECT_EQ(audit_of(reader(), "acme").size(), 1u);
}

// W-50
TEST_P(SignalContract, later_write_takes_the_place_of_the_first) {
  SignalWrite write = sample_signal("ev-1", 1'000'000);
  write.record.open = true;
  put({write, sample_signal("ev-2", 1'000'000)});
  write.record.open = false;
  write.record.reach.total = 3;
  write.first = false;
  put({write});
  EXPECT_EQ(loaded("ev-1"), write.record);
  // One that was forgotten meanwhile is written all the same.
  SignalWrite gone = sample_signal("ev-9", 1'000'000);
  gone.first = false;
  put({gone});
  EXPECT_EQ(loaded("ev-9"), gone.record);
  // The same id after its time is another signal.
  SignalWrite anew = sample_signal("ev-2", 9'000'000, "page_visit");
  put({anew});
  EXPECT_EQ(loaded("ev-2"), anew.record);
}

// W-54, W-56
TEST_P(SignalContract, window_holds_what_came_within_both_ends_in_order) {
  SignalWrite to_run = sample_signal("to-run", 1'003);
  to_run.record.signal.contact_id.clear();
  to_run.record.signal.run = RunId("r1");
  SignalWrite by_phone = sample_signal("by-phone", 1'004);
  by_phone.record.signal.contact_id.clear();
  by_phone.record.signal.phone = "+1";
  SignalWrite other = sample_signal("other", 1'002);
  other.record.signal.contact_id = "c-18";
  SignalWrite foreign = sample_signal("foreign", 1'002);
  foreign.record.signal.account = AccountId("beta");
  put({sample_signal("b", 1'000), sample_signal("a", 1'000), sample_signal("early", 999),
       sample_signal("click", 1'001, "email_click"), other, foreign, to_run, by_phone,
       sample_signal("last", 1'005), sample_signal("late", 1'006)});
  SignalWindow window{.account = AccountId("acme"),
                      .type = "email_open",
                      .contact_id = "c-17",
                      .run = RunId("r1"),
                      .phone = "+1",
                      .from = Instant{1'000},
                      .to = Instant{1'005}};
  EXPECT_EQ(in(window), (Ids{"b", "a", "to-run", "by-phone", "last"}));
  window.phone.clear();
  EXPECT_EQ(in(window), (Ids{"b", "a", "to-run", "last"}));
  window.contact_id.clear();
  EXPECT_EQ(in(window), (Ids{"to-run"}));
  window.run = RunId();
  EXPECT_EQ(in(window), (Ids{"b", "a", "other", "to-run", "by-phone", "last"}));
}

// W-50
TEST_P(SignalContract, open_ones_are_found_in_the_order_they_came) {
  std::vector<SignalWrite> signals;
  for (const char* id : {"c", "a", "d", "b"}) signals.push_back(sample_signal(id, 1'000));
  for (SignalWrite& write : signals) write.record.open = write.record.signal.id != "d";
  put(signals);
  Ids ids;
  uint64_t after = 0;
  for (bool more = true; more;) {
    auto page = store().open_signals(after, 2);
    ASSERT_TRUE(page);
    for (const SignalRecord& record : page->signals) ids.push_back(record.signal.id);
    after = page->cursor;
    more = page->more;
  }
  EXPECT_EQ(ids, (Ids{"c", "a", "b"}));
}

// W-24
TEST_P(SignalContract, lists_are_newest_first_and_every_filter_narrows) {
  SignalWrite heard = sample_signal("heard", 3'000);
  heard.record.reach.total = 1;
  SignalWrite other = sample_signal("other", 4'000);
  other.record.signal.contact_id = "c-18";
  SignalWrite foreign = sample_signal("foreign", 5'000);
  foreign.record.signal.account = AccountId("beta");
  put({sample_signal("one", 1'000), sample_signal("click", 2'000, "email_click"), heard, other,
       foreign});
  SignalFilter all{.account = AccountId("acme")};
  EXPECT_EQ(listed(all), (Ids{"other", "heard", "click", "one"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .type = "email_click"}), (Ids{"click"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .contact_id = "c-18"}), (Ids{"other"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .from = Instant{2'000}, .to = Instant{4'000}}),
            (Ids{"heard", "click"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .matched = true}), (Ids{"heard"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .matched = false}),
            (Ids{"other", "click", "one"}));
}

// W-56
TEST_P(SignalContract, expired_ones_are_removed_unless_something_is_still_to_follow) {
  SignalWrite open = sample_signal("open", 1'000);
  open.record.open = true;
  put({sample_signal("a", 1'000), sample_signal("b", 1'001), open, sample_signal("new", 9'000)});
  auto first = retention().remove_signals(Instant{day_ms + 2'000}, 1);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->removed, 1u);
  EXPECT_TRUE(first->more);
  auto rest = retention().remove_signals(Instant{day_ms + 2'000}, 10);
  EXPECT_EQ(rest->removed, 1u);
  EXPECT_FALSE(rest->more);
  EXPECT_EQ(listed({.account = AccountId("acme")}), (Ids{"new", "open"}));
}

WaitRecord listening(const std::string& run, const std::string& contact, WaitStatus status) {
  WaitRecord record{AccountId("acme"), WorkflowId("orders"), RunId(run), contact, {}};
  record.wait.id = run + "-w";
  record.wait.step = "w";
  record.wait.type = "for_event";
  record.wait.status = status;
  record.wait.due = Instant{9'000'000};
  Listener listener;
  listener.event_type = "email_open";
  listener.scope = "contact";
  listener.window_start = Instant{500};
  listener.phone = "+1";
  record.wait.listeners = {listener};
  if (!is_pending(status)) record.wait.ended_at = Instant{2'000};
  return record;
}

// W-60, W-62, W-90
TEST_P(SignalContract, pending_listeners_and_those_that_ended_lately_are_found) {
  for (auto [run, contact, status] : {std::tuple{"r1", "c-17", WaitStatus::waiting},
                                      {"r2", "c-17", WaitStatus::timeout},
                                      {"r3", "c-18", WaitStatus::resumed},
                                      {"r4", "", WaitStatus::waiting}}) {
    RunWrite write = creation(run);
    write.waits = {listening(run, contact, status)};
    ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  }
  Ids pending;
  for (size_t after = 0;;) {
    auto page = store().listening_waits(after, 1);
    ASSERT_TRUE(page) << page.error().message;
    for (const WaitRecord& record : *page) pending.push_back(record.run.text());
    if (page->empty()) break;
    after += page->size();
  }
  std::sort(pending.begin(), pending.end());
  EXPECT_EQ(pending, (Ids{"r1", "r4"}));
  Signal signal = sample_signal("ev", 3'000).record.signal;
  auto ended = [&](Instant since) {
    Ids ids;
    auto found = store().ended_listeners(signal, since, 10);
    EXPECT_TRUE(found) << found.error().message;
    for (const WaitRecord& record : *found) ids.push_back(record.run.text());
    return ids;
  };
  EXPECT_EQ(ended(Instant{2'000}), (Ids{"r2"}));
  EXPECT_EQ(ended(Instant{2'001}), Ids{});
  signal.run = RunId("r3");
  EXPECT_EQ(ended(Instant{2'000}), (Ids{"r3"}));
  EXPECT_EQ(reader().find_wait("r1-w")->value(), listening("r1", "c-17", WaitStatus::waiting));
}

SignalReached reached(const std::string& signal, ReachKind kind, const std::string& ref) {
  return {{AccountId("acme"), signal}, kind, ref, Value::object({{"ref", ref}})};
}

// W-24, W-50: what it did to runs is written with them, and stays when its own row is written.
TEST_P(SignalContract, what_signals_do_to_runs_is_written_with_the_runs) {
  put({sample_signal("ev-1", 1'000), sample_signal("ev-2", 1'001)});
  RunWrite write = creation("r1");
  write.reached = {reached("ev-1", ReachKind::goal, "r1/g"), reached("ev-1", ReachKind::wait, "w1"),
                   reached("ev-1", ReachKind::trigger, "r1")};
  ASSERT_EQ(commit(write), CommitOutcome::done);
  RunWrite late = creation("r1");
  late.reached = {reached("ev-2", ReachKind::wait, "w9")};
  EXPECT_EQ(commit(late), CommitOutcome::conflict);
  RunWrite more = creation("r2");
  more.reached = {reached("ev-1", ReachKind::wait, "w2"), reached("ev-1", ReachKind::wait, "w1")};
  ASSERT_EQ(commit(more), CommitOutcome::done);
  SignalWrite noted = sample_signal("ev-1", 1'000);
  noted.first = false;
  noted.record.reach.ignored = {Value::object({{"wait_id", "w3"}})};
  put({noted});
  reopen();
  SignalRecord record = loaded("ev-1").value_or(SignalRecord{});
  EXPECT_EQ(record.reach, noted.record.reach);
  EXPECT_EQ(record.effects.goals.size(), 1u);
  ASSERT_EQ(record.effects.waits.size(), 2u) << "each once";
  EXPECT_EQ(record.effects.waits[1].get("ref"), Value("w2"));
  EXPECT_EQ(record.effects.triggers.size(), 1u);
  EXPECT_EQ(record.effects.total, 4u);
  EXPECT_EQ(whole_reach(record).total, 4u);
  EXPECT_EQ(*reader().find_signal({AccountId("acme"), "ev-1"}), record);
  EXPECT_EQ(loaded("ev-2")->effects.total, 0u) << "of a commit that conflicted";
  EXPECT_EQ(listed({.account = AccountId("acme"), .matched = true}), (Ids{"ev-1"}));
  EXPECT_EQ(listed({.account = AccountId("acme"), .matched = false}), (Ids{"ev-2"}));
  put({sample_signal("ev-1", 1'000)});
  EXPECT_EQ(loaded("ev-1")->effects.total, 4u) << "written again, it is the same";
  ASSERT_TRUE(retention().remove_signals(Instant{1'000 + day_ms}, 10));
  put({sample_signal("ev-1", 5'000)});
  EXPECT_EQ(loaded("ev-1")->effects.total, 0u) << "it goes with its signal";
  RunWrite last = creation("r3");
  last.reached = {reached("ev-1", ReachKind::wait, "w4")};
  ASSERT_EQ(commit(last), CommitOutcome::done);
  put({sample_signal("ev-1", 6'000)});
  EXPECT_EQ(loaded("ev-1")->effects.total, 0u) << "the same id later is another signal";
}

// W-27
TEST_P(SignalContract, deletion_of_a_contact_erases_what_signals_have_said_of_it) {
  SignalWrite said = sample_signal("ev-1", 1'000), other = sample_signal("ev-2", 1'001);
  said.record.signal.phone = "+1";
  said.record.signal.email = "a@b.c";
  other.record.signal.contact_id = "c-18";
  put({said, other});
  Contact contact;
  contact.account = AccountId("acme");
  contact.id = "c-17";
  contact.version = 1;
  CommitBatch batch;
  batch.contacts.push_back({0, contact});
  batch.contacts.front().erases_signals = true;
  ASSERT_EQ(store().commit(batch).at(0), CommitOutcome::done);
  said.first = false;
  said.record.open = true;
  put({said});
  SignalRecord left = loaded("ev-1").value_or(SignalRecord{});
  EXPECT_TRUE(left.signal.data.is_null()) << "nor does a later note bring it back";
  EXPECT_EQ(left.signal.phone + left.signal.email, "");
  EXPECT_EQ(left.signal.contact_id, "c-17");
  EXPECT_TRUE(left.open);
  EXPECT_EQ(loaded("ev-2"), other.record);
}

INSTANTIATE_TEST_SUITE_P(adapters, SignalContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
