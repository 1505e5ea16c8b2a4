#include "core/wait/matching.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::waits {
namespace {

constexpr int64_t opened = 1'000'000;
constexpr int64_t expires = 2'000'000;

class Matching : public ::testing::Test {
 protected:
  Matching() {
    record.account = AccountId("acme");
    record.run = RunId("r1");
    record.contact_id = "c-17";
    record.wait.type = "for_event";
    record.wait.status = WaitStatus::waiting;
    record.wait.due = Instant{expires};
    Listener listener;
    listener.event_type = "form_submit";
    listener.scope = "contact";
    listener.window_start = Instant{opened};
    record.wait.listeners = {listener};
    signal.account = AccountId("acme");
    signal.id = "ev-1";
    signal.type = "form_submit";
    signal.contact_id = "c-17";
    signal.received_at = Instant{opened + 10};
    signal.data = parse_json(R"({"form_id": "f1"})").value();
  }
  Listener& listener() { return record.wait.listeners.front(); }
  bool heard() const { return hearer(record, signal).has_value(); }
  WaitRecord record;
  Signal signal;
};

}  // namespace

// W-54, S-19
TEST_F(Matching, account_type_contact_and_criteria_must_be_the_same) {
  listener().criteria = parse_json(R"({"form_id": "f1"})").value();
  EXPECT_TRUE(heard());
  Signal good = signal;
  signal.account = AccountId("other");
  EXPECT_FALSE(heard());
  signal = good;
  signal.type = "page_visit";
  EXPECT_FALSE(heard());
  signal = good;
  signal.contact_id = "c-18";
  EXPECT_FALSE(heard());
  signal.contact_id = "";
  EXPECT_FALSE(heard());
  signal = good;
  signal.data = parse_json(R"({"form_id": "f2"})").value();
  EXPECT_FALSE(heard());
}

// W-54, W-57
TEST_F(Matching, both_ends_of_the_window_count) {
  for (auto [at, heard_then] :
       {std::pair{opened - 1, false}, {opened, true}, {expires, true}, {expires + 1, false}}) {
    signal.received_at = Instant{at};
    EXPECT_EQ(heard(), heard_then) << at;
  }
  signal.received_at = Instant{opened};
  signal.occurred_at = Instant{opened - 5'000};
  EXPECT_TRUE(heard());
  signal.occurred_at = Instant{opened - 5'001};
  EXPECT_FALSE(heard());
}

// W-54
TEST_F(Matching, correlation_counts_only_when_both_sides_have_one) {
  listener().correlation_id = "m-9";
  EXPECT_TRUE(heard());
  signal.correlation_id = "m-9";
  EXPECT_TRUE(heard());
  signal.correlation_id = "m-8";
  EXPECT_FALSE(heard());
  listener().correlation_id = "";
  EXPECT_TRUE(heard());
}

// W-53
TEST_F(Matching, signal_to_a_run_reaches_that_run_alone) {
  signal.run = RunId("r2");
  EXPECT_FALSE(heard());
  signal.run = RunId("r1");
  EXPECT_TRUE(heard());
  signal.contact_id = "";
  EXPECT_TRUE(heard());
  listener().scope = "execution";
  EXPECT_TRUE(heard());
  signal.run = RunId("");
  signal.contact_id = "c-17";
  EXPECT_FALSE(heard());
  listener().scope = "account";
  signal.contact_id = "c-99";
  EXPECT_TRUE(heard());
  signal.run = RunId("r2");
  EXPECT_FALSE(heard());
}

// W-54, S-14
TEST_F(Matching, reply_is_known_by_the_phone_too) {
  listener().event_type = signal.type = "sms_reply";
  listener().phone = "+12125550100";
  signal.contact_id = "";
  signal.phone = "+12125550100";
  EXPECT_TRUE(heard());
  signal.phone = "+12125550101";
  EXPECT_FALSE(heard());
}

// W-54
TEST_F(Matching, held_or_ended_waits_and_matched_listeners_hear_nothing) {
  record.wait.hold = "operator";
  EXPECT_FALSE(heard());
  record.wait.hold = "";
  listener().status = ListenerStatus::matched;
  EXPECT_FALSE(heard());
  listener().status = ListenerStatus::active;
  record.wait.status = WaitStatus::timeout;
  EXPECT_FALSE(heard());
}

}  // namespace fermata::waits
