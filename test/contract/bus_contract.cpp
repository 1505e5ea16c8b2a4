#include <gtest/gtest.h>

#include <condition_variable>
#include <set>

#include "adapters/memory/memory_bus.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/rabbitmq/rabbit_bus.h"
#include "adapters/system/system_clock.h"
#include "test/broker/broker_client.h"
#include "test/broker/broker_process.h"

/// The Bus port: the one in memory, and RabbitMQ as a real server (C-50 to C-53, C-220).
namespace fermata {
namespace {

using Outcome = BusConfirm::Outcome;
using Kind = BusSettlement::Kind;

/// One bus with its other side.
class BusUnderTest {
 public:
  virtual ~BusUnderTest() = default;
  virtual Bus& bus() = 0;
  virtual void send(const std::string& queue, const std::string& id, const std::string& body) = 0;
  /// Everything that lies in a queue, taken from it, once there are as many.
  virtual std::vector<BusDelivery> taken(const std::string& queue, size_t count) = 0;
  virtual void remove(const std::string& queue) = 0;
  virtual void restore(const std::string& queue) = 0;
  virtual void cut() = 0;
  virtual void mend() = 0;
  virtual void advance(Duration time) = 0;
};

class MemoryUnderTest final : public BusUnderTest {
 public:
  Bus& bus() override { return bus_; }
  void send(const std::string& queue, const std::string& id, const std::string& body) override {
    bus_.send(queue, {0, queue, id, body});
  }
  std::vector<BusDelivery> taken(const std::string& queue, size_t) override {
    std::vector<BusDelivery> out;
    for (BusMessage& message : bus_.take(queue))
      out.push_back({0, queue, message.id, message.body, message.headers});
    return out;
  }
  void remove(const std::string& queue) override { bus_.remove(queue); }
  void restore(const std::string& queue) override { bus_.restore(queue); }
  void cut() override { bus_.cut(); }
  void mend() override { bus_.mend(); }
  void advance(Duration time) override { clock_.set(clock_.now() + time); }

 private:
  VirtualClock clock_{Instant{1'000}};
  MemoryBus bus_{clock_};
};

/// One broker for all tests of this program: it takes seconds to start.
test::BrokerProcess& broker() {
  static test::BrokerProcess process;
  static bool started = process.start();
  EXPECT_TRUE(started) << process.log();
  return process;
}

class RabbitUnderTest final : public BusUnderTest {
 public:
  RabbitUnderTest() {
    client_ = std::make_unique<test::BrokerClient>(broker().address());
    client_->purge_everything();
    RabbitOptions options;
    options.address = broker().address();
    options.origin = "test";
    auto opened = RabbitBus::open(std::move(options));
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    if (opened) bus_ = *std::move(opened);
  }
  Bus& bus() override { return *bus_; }
  void send(const std::string& queue, const std::string& id, const std::string& body) override {
    EXPECT_TRUE(client_->send(queue, body, id));
  }
  std::vector<BusDelivery> taken(const std::string& queue, size_t count) override {
    std::vector<BusDelivery> out;
    while (out.size() < count) {
      auto one = client_->await(queue);
      if (!one) break;
      out.push_back(*std::move(one));
    }
    return out;
  }
  void remove(const std::string& queue) override { client_->remove(queue); }
  void restore(const std::string& queue) override {
    // Whoever removed it declares it again.
    auto connection = RabbitConnection::open(broker().address(), Duration{5'000});
    ASSERT_TRUE(connection);
    auto declared = declare_topology(**connection, {});
    EXPECT_TRUE(declared) << queue << declared.error().message;
  }
  void cut() override {
    client_.reset();
    broker().kill_hard();
  }
  void mend() override {
    ASSERT_TRUE(broker().start());
    client_ = std::make_unique<test::BrokerClient>(broker().address());
  }
  void advance(Duration) override {}

 private:
  std::unique_ptr<test::BrokerClient> client_;
  std::unique_ptr<RabbitBus> bus_;
};

struct BusKind {
  std::string name;
  std::function<std::unique_ptr<BusUnderTest>()> make;
};

class BusContract : public testing::TestWithParam<BusKind> {
 protected:
  BusContract() {
    if (GetParam().name == "rabbitmq" && !test::BrokerProcess::installed()) {
      ADD_FAILURE() << "rabbitmq-server is not installed; see tools/packages.txt";
      return;
    }
    under_test_ = GetParam().make();
  }
  Bus& bus() { return under_test_->bus(); }
  template <class Ready>
  bool await(Ready ready, int most_ms = 30'000) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
    while (!ready()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  std::map<uint64_t, Outcome> confirmed(size_t count) {
    std::map<uint64_t, Outcome> out;
    await([&] {
      for (const BusConfirm& one : bus().confirms()) {
        EXPECT_FALSE(out.contains(one.ticket)) << "two confirms of " << one.ticket;
        out[one.ticket] = one.outcome;
      }
      return out.size() >= count;
    });
    return out;
  }
  std::vector<BusDelivery> pulled(size_t count) {
    std::vector<BusDelivery> out;
    await([&] {
      for (BusDelivery& one : bus().pull(count - out.size())) out.push_back(std::move(one));
      return out.size() >= count;
    });
    return out;
  }
  static BusMessage message(uint64_t ticket, const std::string& target) {
    return {ticket, target, "run:" + std::to_string(ticket),
            "{\"n\":" + std::to_string(ticket) + "}"};
  }
  bool ready() {
    return under_test_ && await([&] { return bus().health().up; }, 60'000);
  }

  std::unique_ptr<BusUnderTest> under_test_;
};

constexpr const char* out_queue = "workflow.node.status";
constexpr const char* other_queue = "workflow.worker.initiated";
constexpr const char* in_queue = "workflow.execution";
constexpr const char* dead_queue = "workflow.dead";

// C-52
TEST_P(BusContract, each_message_is_confirmed_once_and_lies_in_order) {
  ASSERT_TRUE(ready());
  std::vector<BusMessage> batch;
  for (uint64_t i = 1; i <= 600; ++i) batch.push_back(message(i, out_queue));
  batch[6].headers = {{"x-fermata-sequence", "7"}};
  bus().publish(std::move(batch));
  auto confirms = confirmed(600);
  ASSERT_EQ(confirms.size(), 600u);
  for (const auto& [ticket, outcome] : confirms) EXPECT_EQ(outcome, Outcome::confirmed) << ticket;
  auto taken = under_test_->taken(out_queue, 600);
  ASSERT_EQ(taken.size(), 600u);
  for (size_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(taken[i].message_id, "run:" + std::to_string(i + 1));
  const std::string* sequence = find_header(taken[6].headers, "x-fermata-sequence");
  ASSERT_NE(sequence, nullptr);
  EXPECT_EQ(*sequence, "7");
  EXPECT_EQ(taken[6].body, "{\"n\":7}");
}

// C-52
TEST_P(BusContract, message_that_nobody_keeps_is_told_of_and_others_pass) {
  ASSERT_TRUE(ready());
  under_test_->remove(other_queue);
  bus().publish({message(1, other_queue), message(2, "workflow.completion")});
  auto confirms = confirmed(2);
  EXPECT_EQ(confirms[1], Outcome::unroutable);
  EXPECT_EQ(confirms[2], Outcome::confirmed);
  under_test_->restore(other_queue);
  bus().publish({message(3, other_queue)});
  EXPECT_EQ(confirmed(1)[3], Outcome::confirmed);
}

// C-53
TEST_P(BusContract, delivery_is_gone_when_it_is_acknowledged_and_not_before) {
  ASSERT_TRUE(ready());
  under_test_->send(in_queue, "m1", "one");
  under_test_->send(in_queue, "m2", "two");
  auto first = pulled(2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].message_id, "m1");
  EXPECT_EQ(first[0].queue, in_queue);
  EXPECT_EQ(first[0].body, "one");
  EXPECT_EQ(first[0].attempt, 1u);
  EXPECT_FALSE(first[0].redelivered);
  EXPECT_TRUE(bus().pull(10).empty());
  bus().settle(first[0].id, {Kind::ack});
  bus().settle(first[0].id, {Kind::ack});
  // What is acknowledged does not come back with the rest.
  uint64_t before = bus().health().redelivered;
  bus().rest(Duration{0});
  auto again = pulled(1);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_NE(again[0].id, first[1].id);
  // An acknowledgement on its way may be lost with the connection: then both come.
  if (again[0].message_id == "m1") {
    bus().settle(again[0].id, {Kind::ack});
    again = pulled(1);
    ASSERT_EQ(again.size(), 1u);
  }
  EXPECT_EQ(again[0].message_id, "m2");
  EXPECT_TRUE(again[0].redelivered);
  EXPECT_GT(bus().health().redelivered, before);
  bus().settle(again[0].id, {Kind::ack});
}

// C-53
TEST_P(BusContract, message_put_off_comes_back_to_its_queue_with_its_attempt) {
  ASSERT_TRUE(ready());
  under_test_->send("workflow.resume", "m1", "later");
  auto first = pulled(1);
  ASSERT_EQ(first.size(), 1u);
  bus().settle(first[0].id, {Kind::retry, Duration{1'000}});
  under_test_->advance(Duration{500});
  EXPECT_TRUE(bus().pull(1).empty());
  under_test_->advance(Duration{500});
  auto again = pulled(1);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].queue, "workflow.resume");
  EXPECT_EQ(again[0].message_id, "m1");
  EXPECT_EQ(again[0].body, "later");
  EXPECT_EQ(again[0].attempt, 2u);
  bus().settle(again[0].id, {Kind::ack});
}

// C-50, C-53
TEST_P(BusContract, dead_message_is_copied_with_its_reason_and_the_queue_goes_on) {
  ASSERT_TRUE(ready());
  under_test_->send(in_queue, "m1", "not json");
  under_test_->send(in_queue, "m2", "two");
  auto first = pulled(2);
  ASSERT_EQ(first.size(), 2u);
  bus().settle(first[0].id, {Kind::dead, {}, "not_json"});
  bus().settle(first[1].id, {Kind::ack});
  auto dead = under_test_->taken(dead_queue, 1);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].body, "not json");
  EXPECT_EQ(dead[0].message_id, "m1");
  const std::string* reason = find_header(dead[0].headers, "x-fermata-reason");
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(*reason, "not_json");
  const std::string* queue = find_header(dead[0].headers, "x-fermata-queue");
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(*queue, in_queue);
}

// C-7, C-220
TEST_P(BusContract, what_is_not_confirmed_when_the_connection_breaks_is_lost_and_may_go_again) {
  ASSERT_TRUE(ready());
  under_test_->send(in_queue, "m1", "one");
  auto first = pulled(1);
  ASSERT_EQ(first.size(), 1u);
  bus().publish({message(1, out_queue)});
  ASSERT_EQ(confirmed(1)[1], Outcome::confirmed);
  under_test_->cut();
  ASSERT_TRUE(await([&] { return !bus().health().up; }));
  EXPECT_EQ(bus().room(), 0u);
  bus().publish({message(2, out_queue), message(3, out_queue)});
  auto lost = confirmed(2);
  EXPECT_EQ(lost[2], Outcome::lost);
  EXPECT_EQ(lost[3], Outcome::lost);
  // Its connection is gone: this is left alone.
  bus().settle(first[0].id, {Kind::ack});
  under_test_->mend();
  ASSERT_TRUE(ready()) << bus().health().trouble;
  ASSERT_TRUE(await([&] { return bus().room() > 0; }));
  bus().publish({message(4, out_queue)});
  EXPECT_EQ(confirmed(1)[4], Outcome::confirmed);
  auto again = pulled(1);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].message_id, "m1");
  bus().settle(again[0].id, {Kind::ack});
  auto taken = under_test_->taken(out_queue, 2);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].message_id, "run:1");
  EXPECT_EQ(taken[1].message_id, "run:4");
}

INSTANTIATE_TEST_SUITE_P(
    adapters, BusContract,
    testing::Values(BusKind{"memory", [] { return std::make_unique<MemoryUnderTest>(); }},
                    BusKind{"rabbitmq", [] { return std::make_unique<RabbitUnderTest>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fermata
