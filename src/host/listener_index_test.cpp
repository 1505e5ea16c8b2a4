#include "host/listener_index.h"

#include <gtest/gtest.h>

namespace fermata {
namespace {

Listener listener_of(std::string type, std::string scope = "contact", std::string phone = "") {
  Listener made;
  made.event_type = std::move(type);
  made.scope = std::move(scope);
  made.phone = std::move(phone);
  made.window_start = Instant{0};
  return made;
}

WaitRecord record_of(std::string id, std::vector<Listener> listeners, int64_t since = 0,
                     std::string contact = "c-1") {
  WaitRecord record{AccountId("acme"), WorkflowId("w"), RunId("run-" + id), std::move(contact), {}};
  record.wait.id = std::move(id);
  record.wait.type = "for_event";
  record.wait.status = WaitStatus::waiting;
  record.wait.reached_at = Instant{since};
  record.wait.listeners = std::move(listeners);
  return record;
}

Signal signal_of(std::string type, std::string contact = "c-1") {
  Signal signal;
  signal.account = AccountId("acme");
  signal.id = "ev";
  signal.type = std::move(type);
  signal.contact_id = std::move(contact);
  signal.received_at = Instant{10};
  return signal;
}

std::string heard(const ListenerIndex& index, const Signal& signal) {
  std::string out;
  for (const auto& target : index.targets(signal)) out += (out.empty() ? "" : " ") + target.wait;
  return out;
}

// W-54, W-59: found by contact and type, oldest first, then by id.
TEST(ListenerIndex, finds_who_listens_in_the_order_they_came) {
  ListenerIndex index;
  index.settled(record_of("b", {listener_of("email_open")}, 5));
  index.settled(record_of("a", {listener_of("email_open")}, 5));
  index.settled(record_of("z", {listener_of("email_open")}, 1));
  index.settled(record_of("other", {listener_of("page_visit")}));
  index.settled(record_of("another", {listener_of("email_open")}, 0, "c-2"));
  EXPECT_EQ(heard(index, signal_of("email_open")), "z a b");
  EXPECT_EQ(heard(index, signal_of("email_open", "c-2")), "another");
  EXPECT_EQ(heard(index, signal_of("email_open", "c-3")), "");
  Signal foreign = signal_of("email_open");
  foreign.account = AccountId("rival");
  EXPECT_EQ(heard(index, foreign), "");
  EXPECT_EQ(index.size(), 5u);
}

// W-52, W-53: by run, by telephone number, and everything of the account.
TEST(ListenerIndex, has_a_way_for_every_kind_of_address) {
  ListenerIndex index;
  index.settled(record_of("reply", {listener_of("sms_reply", "contact", "+1")}));
  index.settled(record_of("all", {listener_of("sms_reply", "account")}, 3));
  index.settled(record_of("own", {listener_of("sms_reply", "execution")}, 4));
  Signal by_phone = signal_of("sms_reply", "");
  by_phone.phone = "+1";
  EXPECT_EQ(heard(index, by_phone), "reply all");
  EXPECT_EQ(heard(index, signal_of("sms_reply")), "reply all") << "each once";
  Signal to_run = signal_of("sms_reply", "");
  to_run.run = RunId("run-own");
  EXPECT_EQ(heard(index, to_run), "own");
}

// W-62: what ended, is held or was heard leaves; the rest of a wait for several stays.
TEST(ListenerIndex, forgets_what_listens_no_more) {
  ListenerIndex index;
  WaitRecord both = record_of("both", {listener_of("email_open"), listener_of("sms_reply")});
  index.settled(both);
  both.wait.listeners[0].status = ListenerStatus::matched;
  index.settled(both);
  EXPECT_EQ(heard(index, signal_of("email_open")), "");
  EXPECT_EQ(heard(index, signal_of("sms_reply")), "both");
  both.wait.hold = "operator";
  index.settled(both);
  EXPECT_EQ(index.size(), 0u);
  both.wait.hold.clear();
  index.settled(both);
  both.wait.status = WaitStatus::resumed;
  index.settled(both);
  EXPECT_EQ(heard(index, signal_of("sms_reply")), "");
  EXPECT_EQ(index.size(), 0u);
}

// W-56: a wait listens from its decision on, unless the commit fails.
TEST(ListenerIndex, keeps_what_was_durable_when_a_commit_fails) {
  ListenerIndex index;
  WaitRecord record = record_of("a", {listener_of("email_open")});
  EXPECT_TRUE(index.decided(record));
  EXPECT_EQ(heard(index, signal_of("email_open")), "a");
  EXPECT_FALSE(index.decided(record)) << "it listens already";
  index.failed(record);
  EXPECT_EQ(index.size(), 0u);
  index.settled(record);
  EXPECT_FALSE(index.decided(record));
  index.failed(record);
  EXPECT_EQ(heard(index, signal_of("email_open")), "a") << "an earlier commit has opened it";
  WaitRecord ended = record;
  ended.wait.status = WaitStatus::cancelled;
  EXPECT_FALSE(index.decided(ended));
  EXPECT_EQ(index.size(), 1u) << "until the end is durable";
}

// Many in one bucket come and go in any order.
TEST(ListenerIndex, many_of_one_contact_come_and_go) {
  ListenerIndex index;
  constexpr int many = 200;
  auto at = [](int i) {
    return record_of("w" + std::to_string(1'000 + i), {listener_of("email_open")}, i % 7);
  };
  for (int i = 0; i < many; ++i) index.settled(at(i));
  EXPECT_EQ(index.targets(signal_of("email_open")).size(), static_cast<size_t>(many));
  for (int i = 0; i < many; i += 2) {
    WaitRecord gone = at(i);
    gone.wait.status = WaitStatus::timeout;
    index.settled(gone);
  }
  EXPECT_EQ(index.targets(signal_of("email_open")).size(), static_cast<size_t>(many / 2));
  for (int i = 1; i < many; i += 2) {
    WaitRecord gone = at(i);
    gone.wait.status = WaitStatus::timeout;
    index.settled(gone);
  }
  EXPECT_EQ(index.size(), 0u);
  EXPECT_TRUE(index.targets(signal_of("email_open")).empty());
}

}  // namespace
}  // namespace fermata
