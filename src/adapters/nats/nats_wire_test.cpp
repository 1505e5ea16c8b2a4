#include "adapters/nats/nats_wire.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "adapters/nats/handles.h"
#include "adapters/nats/nats_test_server.h"
#include "adapters/nats/streams.h"

namespace fermata {
namespace {

using namespace nats;
using Kind = WireSettlement::Kind;

constexpr auto patience = std::chrono::seconds(30);

/// Another program on the same server.
class Outsider {
 public:
  explicit Outsider(const std::string& url) {
    natsConnection* made = nullptr;
    EXPECT_EQ(natsConnection_ConnectTo(&made, url.c_str()), NATS_OK);
    connection_.reset(made);
    jsCtx* context = nullptr;
    EXPECT_EQ(natsConnection_JetStream(&context, made, nullptr), NATS_OK);
    jetstream_.reset(context);
  }
  void say(const std::string& subject, const std::string& bytes) {
    ASSERT_EQ(natsConnection_Publish(connection_.get(), subject.c_str(), bytes.data(),
                                     static_cast<int>(bytes.size())),
              NATS_OK);
    ASSERT_EQ(natsConnection_Flush(connection_.get()), NATS_OK);
  }
  void make_stream(const char* name, std::vector<const char*> subjects,
                   jsRetentionPolicy retention = js_LimitsPolicy) {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = name;
    config.Subjects = subjects.data();
    config.SubjectsLen = static_cast<int>(subjects.size());
    config.Retention = retention;
    jsStreamInfo* made = nullptr;
    ASSERT_EQ(js_AddStream(&made, jetstream_.get(), &config, nullptr, nullptr), NATS_OK);
    StreamInfo owned(made);
  }
  void make_consumer(const char* stream, const char* name, const char* subject, int deliveries) {
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = name;
    config.FilterSubject = subject;
    config.AckPolicy = js_AckExplicit;
    config.MaxDeliver = deliveries;
    jsConsumerInfo* made = nullptr;
    ASSERT_EQ(js_AddConsumer(&made, jetstream_.get(), stream, &config, nullptr, nullptr), NATS_OK);
    ConsumerInfo owned(made);
  }
  StreamInfo stream(const char* name) {
    jsStreamInfo* found = nullptr;
    js_GetStreamInfo(&found, jetstream_.get(), name, nullptr, nullptr);
    return StreamInfo(found);
  }
  ConsumerInfo consumer(const char* stream, const char* name) {
    jsConsumerInfo* found = nullptr;
    js_GetConsumerInfo(&found, jetstream_.get(), stream, name, nullptr, nullptr);
    return ConsumerInfo(found);
  }

 private:
  Connection connection_;
  JetStream jetstream_;
};

class NatsWireTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(NatsTestServer::installed()) << "the package nats-server is needed";
    ASSERT_TRUE(server.start());
  }
  NatsOptions options() {
    NatsOptions made;
    made.urls = {server.url()};
    made.patience = {2'000};
    made.on_warning = [this](const std::string& text) {
      std::lock_guard lock(mutex);
      warnings += text + "\n";
    };
    return made;
  }
  std::unique_ptr<NatsWire> open() {
    auto wire = NatsWire::open(options());
    EXPECT_TRUE(wire) << wire.error().message;
    return wire ? *std::move(wire) : nullptr;
  }
  static std::optional<WireDelivery> next(Wire& wire) {
    auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      Wire::News news = wire.wait(1, {500});
      if (!news.deliveries.empty()) return std::move(news.deliveries.front());
    }
    return std::nullopt;
  }
  static std::optional<WireConfirm> confirmed(Wire& wire) {
    auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      Wire::News news = wire.wait(1, {500});
      if (!news.confirms.empty()) return news.confirms.front();
    }
    return std::nullopt;
  }
  static bool becomes(const std::function<bool()>& holds) {
    auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  NatsTestServer server;
  std::mutex mutex;
  std::string warnings;
};

TEST(NatsSubjects, one_pattern_covers_another) {
  EXPECT_TRUE(covers("sys.>", "sys.job.submit"));
  EXPECT_TRUE(covers("sys.>", "sys.audit.>"));
  EXPECT_TRUE(covers("worker.*.jobs", "worker.*.jobs"));
  EXPECT_TRUE(covers(">", "job.>"));
  EXPECT_TRUE(covers("sys.*.submit", "sys.job.submit"));
  EXPECT_FALSE(covers("sys.job.submit", "sys.>"));
  EXPECT_FALSE(covers("sys.*", "sys.>"));
  EXPECT_FALSE(covers("sys.*", "sys.job.submit"));
  EXPECT_FALSE(covers("sys.job", "sys.job.submit"));
  EXPECT_FALSE(covers("worker.a.jobs", "worker.*.jobs"));
  EXPECT_FALSE(covers("sys.>", "sys"));
}

// C-70, C-71
TEST_F(NatsWireTest, missing_streams_and_consumers_are_made) {
  auto wire = open();
  ASSERT_TRUE(wire);
  Outsider outsider(server.url());
  StreamInfo sys = outsider.stream("CORDUM_SYS");
  ASSERT_TRUE(sys);
  EXPECT_EQ(sys->Config->SubjectsLen, 6);
  EXPECT_EQ(sys->Config->Retention, js_LimitsPolicy);
  EXPECT_EQ(sys->Config->MaxAge, int64_t{7} * 86'400 * 1'000'000'000);
  EXPECT_EQ(sys->Config->Duplicates, int64_t{120} * 1'000'000'000);
  EXPECT_EQ(sys->Config->Replicas, 1);
  StreamInfo jobs = outsider.stream("CORDUM_JOBS");
  ASSERT_TRUE(jobs);
  EXPECT_STREQ(jobs->Config->Subjects[1], "worker.*.jobs");
  for (const char* name : {"fermata_submit", "fermata_result", "fermata_cancel"}) {
    ConsumerInfo consumer = outsider.consumer("CORDUM_SYS", name);
    ASSERT_TRUE(consumer) << name;
    EXPECT_EQ(consumer->Config->AckPolicy, js_AckExplicit);
    EXPECT_EQ(consumer->Config->AckWait, int64_t{30} * 1'000'000'000);
    EXPECT_EQ(consumer->Config->MaxDeliver, 100);
    EXPECT_EQ(consumer->Config->MaxAckPending, 2'048);
  }
}

// C-74: the same protocol twice on one server, and neither hears of the other.
TEST_F(NatsWireTest, prefix_stands_before_every_subject_and_is_told_to_nobody) {
  auto plain = open();
  NatsOptions prefixed = options();
  prefixed.prefix = "eu.acme.";
  prefixed.stream_sys = "CORDUM_SYS_acme";
  prefixed.stream_jobs = "CORDUM_JOBS_acme";
  auto opened = NatsWire::open(prefixed);
  ASSERT_TRUE(plain && opened) << opened.error().message;
  Wire& acme = **opened;
  Outsider outsider(server.url());
  outsider.say("eu.acme.sys.job.submit", "theirs");
  outsider.say("eu.acme.sys.heartbeat", "alive");
  outsider.say("sys.job.submit", "ours");
  std::set<std::string> heard;
  for (int i = 0; i < 2; ++i) {
    auto delivery = next(acme);
    ASSERT_TRUE(delivery);
    heard.insert(delivery->subject + " " + delivery->bytes);
    if (delivery->number != 0) acme.settle(delivery->number, {Kind::ack, {}});
  }
  EXPECT_EQ(heard, (std::set<std::string>{"sys.job.submit theirs", "sys.heartbeat alive"}));
  auto ours = next(*plain);
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->bytes, "ours");
  plain->settle(ours->number, {Kind::ack, {}});
  ASSERT_TRUE(acme.publish({7, "sys.job.accepted", "end-1", "done"}));
  ASSERT_TRUE(confirmed(acme));
  auto latest = acme.latest("sys.job.accepted");
  ASSERT_TRUE(latest && *latest);
  EXPECT_EQ(**latest, "done");
  auto elsewhere = plain->latest("sys.job.accepted");
  ASSERT_TRUE(elsewhere);
  EXPECT_FALSE(*elsewhere);
  EXPECT_TRUE(becomes([&] {
    auto left = acme.pending("sys.job.submit");
    return left && *left == 0;
  }));
  EXPECT_STREQ(outsider.stream("CORDUM_JOBS_acme")->Config->Subjects[1], "eu.acme.worker.*.jobs");
}

// C-6
TEST_F(NatsWireTest, what_is_weak_is_said_at_start) {
  auto wire = open();
  ASSERT_TRUE(wire);
  std::lock_guard lock(mutex);
  EXPECT_NE(warnings.find("sync_interval"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("CORDUM_SYS has one replica"), std::string::npos) << warnings;
}

TEST_F(NatsWireTest, stream_with_all_of_sys_is_used_as_it_is) {
  Outsider outsider(server.url());
  outsider.make_stream("CORDUM_SYS", {"sys.>"});
  auto wire = open();
  ASSERT_TRUE(wire);
  EXPECT_EQ(outsider.stream("CORDUM_SYS")->Config->SubjectsLen, 1);
}

TEST_F(NatsWireTest, stream_that_lacks_subjects_is_refused_and_left_alone) {
  Outsider outsider(server.url());
  outsider.make_stream("CORDUM_SYS", {"sys.job.submit", "sys.job.result"});
  auto wire = NatsWire::open(options());
  ASSERT_FALSE(wire);
  EXPECT_EQ(wire.error().code, ErrorCode::invalid_setting);
  const std::string& text = wire.error().message;
  EXPECT_NE(text.find("lacks sys.job.cancel, sys.job.dlq, sys.job.accepted, sys.audit.>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("nats_stream_sys"), std::string::npos) << text;
  EXPECT_EQ(outsider.stream("CORDUM_SYS")->Config->SubjectsLen, 2);
}

TEST_F(NatsWireTest, work_queue_is_refused) {
  Outsider outsider(server.url());
  outsider.make_stream("CORDUM_SYS", {"sys.>"}, js_WorkQueuePolicy);
  auto wire = NatsWire::open(options());
  ASSERT_FALSE(wire);
  EXPECT_NE(wire.error().message.find("work-queue retention"), std::string::npos);
}

TEST_F(NatsWireTest, subjects_that_another_stream_holds_are_named) {
  Outsider outsider(server.url());
  outsider.make_stream("OTHER", {"sys.>"});
  auto wire = NatsWire::open(options());
  ASSERT_FALSE(wire);
  EXPECT_EQ(wire.error().code, ErrorCode::invalid_setting);
  EXPECT_NE(wire.error().message.find("another one holds"), std::string::npos);
}

TEST(NatsWireStart, server_without_jetstream_is_refused) {
  NatsTestServer server(false);
  ASSERT_TRUE(server.start());
  NatsOptions options;
  options.urls = {server.url()};
  auto wire = NatsWire::open(options);
  ASSERT_FALSE(wire);
  EXPECT_EQ(wire.error().code, ErrorCode::invalid_setting);
  EXPECT_NE(wire.error().message.find("no JetStream"), std::string::npos) << wire.error().message;
}

TEST(NatsWireStart, nobody_there_is_said_with_the_address_and_without_the_password) {
  NatsOptions options;
  options.urls = {"nats://user:geheim@127.0.0.1:1"};
  options.patience = {100};
  auto wire = NatsWire::open(options);
  ASSERT_FALSE(wire);
  EXPECT_EQ(wire.error().code, ErrorCode::io_failed);
  EXPECT_NE(wire.error().message.find("nats://(hidden)@127.0.0.1:1"), std::string::npos)
      << wire.error().message;
  EXPECT_EQ(wire.error().message.find("geheim"), std::string::npos);
}

// C-73
TEST_F(NatsWireTest, message_published_twice_under_one_id_is_one_message) {
  auto wire = open();
  ASSERT_TRUE(wire);
  ASSERT_TRUE(wire->publish({1, "worker.w1.jobs", "jobreq:j:1.1", "x"}));
  ASSERT_TRUE(wire->publish({2, "worker.w1.jobs", "jobreq:j:1.1", "x"}));
  ASSERT_TRUE(wire->publish({3, "worker.w1.jobs", "jobreq:j:2.2", "x"}));
  for (uint64_t ticket : {1, 2, 3}) {
    auto confirm = confirmed(*wire);
    ASSERT_TRUE(confirm);
    EXPECT_EQ(confirm->ticket, ticket);
    EXPECT_EQ(confirm->duplicate, ticket == 2);
  }
  EXPECT_EQ(Outsider(server.url()).stream("CORDUM_JOBS")->State.Msgs, 2u);
}

TEST_F(NatsWireTest, message_is_delivered_again_until_it_is_settled) {
  auto wire = open();
  ASSERT_TRUE(wire);
  Outsider outsider(server.url());
  outsider.say("sys.job.submit", "one");
  auto first = next(*wire);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes, "one");
  EXPECT_EQ(first->subject, "sys.job.submit");
  EXPECT_EQ(first->deliveries, 1u);
  wire->settle(first->number, {Kind::again, {50}});
  auto second = next(*wire);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->deliveries, 2u);
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(*wire->pending("sys.job.submit"), 1u);
  wire->settle(second->number, {Kind::ack, {}});
  EXPECT_TRUE(becomes([&] { return *wire->pending("sys.job.submit") == 0; }));
  EXPECT_EQ(wire->health().redelivered, 1u);
  outsider.say("sys.job.cancel", "two");
  auto poison = next(*wire);
  ASSERT_TRUE(poison);
  wire->settle(poison->number, {Kind::dead, {}});
  EXPECT_TRUE(becomes([&] { return *wire->pending("sys.job.cancel") == 0; }));
}

// C-71
TEST_F(NatsWireTest, message_that_the_server_gives_up_is_told_as_such) {
  Outsider outsider(server.url());
  outsider.make_stream("CORDUM_SYS", {"sys.>"});
  outsider.make_consumer("CORDUM_SYS", "fermata_submit", "sys.job.submit", 2);
  auto wire = open();
  ASSERT_TRUE(wire);
  outsider.say("sys.job.submit", "in vain");
  for (int i = 0; i < 2; ++i) {
    auto delivery = next(*wire);
    ASSERT_TRUE(delivery);
    EXPECT_FALSE(delivery->exhausted);
    wire->settle(delivery->number, {Kind::again, {10}});
  }
  auto given_up = next(*wire);
  ASSERT_TRUE(given_up);
  EXPECT_TRUE(given_up->exhausted);
  EXPECT_EQ(given_up->bytes, "in vain");
  EXPECT_EQ(given_up->subject, "sys.job.submit");
  EXPECT_EQ(given_up->deliveries, 2u);
}

TEST_F(NatsWireTest, what_was_not_settled_comes_again_in_the_next_life) {
  Outsider outsider(server.url());
  {
    auto wire = open();
    ASSERT_TRUE(wire);
    outsider.say("sys.job.result", "r");
    ASSERT_TRUE(next(*wire));
  }
  auto wire = open();
  ASSERT_TRUE(wire);
  // The server waits for the acknowledgement as long as the consumer says: half a minute.
  EXPECT_EQ(*wire->pending("sys.job.result"), 1u);
}

TEST_F(NatsWireTest, plain_subjects_are_heard_and_not_settled) {
  auto wire = open();
  ASSERT_TRUE(wire);
  Outsider outsider(server.url());
  for (const char* subject : {"sys.heartbeat", "sys.handshake", "sys.job.progress"}) {
    outsider.say(subject, "b");
    auto heard = next(*wire);
    ASSERT_TRUE(heard) << subject;
    EXPECT_EQ(heard->subject, subject);
    EXPECT_EQ(heard->number, 0u);
  }
}

// C-7
TEST_F(NatsWireTest, server_that_comes_back_is_used_again) {
  auto wire = open();
  ASSERT_TRUE(wire);
  EXPECT_TRUE(wire->health().up);
  server.kill_hard();
  EXPECT_TRUE(becomes([&] { return !wire->health().up; }));
  ASSERT_TRUE(wire->publish({7, "sys.job.accepted", "jobacc:j:1", "late"}));
  ASSERT_TRUE(server.start());
  auto confirm = confirmed(*wire);
  ASSERT_TRUE(confirm);
  EXPECT_EQ(confirm->ticket, 7u);
  EXPECT_TRUE(becomes([&] { return wire->health().up; })) << wire->health().trouble;
  Outsider outsider(server.url());
  outsider.say("sys.job.submit", "after");
  auto heard = next(*wire);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->bytes, "after");
}

TEST_F(NatsWireTest, server_that_comes_back_without_its_data_gets_streams_anew) {
  auto wire = open();
  ASSERT_TRUE(wire);
  server.kill_hard();
  std::filesystem::remove_all(server.directory() / "store");
  ASSERT_TRUE(server.start());
  Outsider outsider(server.url());
  ASSERT_TRUE(
      becomes([&] { return outsider.consumer("CORDUM_SYS", "fermata_submit") != nullptr; }));
  outsider.say("sys.job.submit", "after");
  auto heard = next(*wire);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->bytes, "after");
}

TEST_F(NatsWireTest, no_more_wait_to_be_published_than_may) {
  NatsOptions small = options();
  small.unpublished_max = 2;
  auto wire = NatsWire::open(std::move(small));
  ASSERT_TRUE(wire);
  server.kill_hard();
  EXPECT_TRUE(becomes([&] { return !(*wire)->health().up; }));
  EXPECT_TRUE((*wire)->publish({1, "sys.job.accepted", "a", "x"}));
  EXPECT_TRUE((*wire)->publish({2, "sys.job.accepted", "b", "x"}));
  EXPECT_FALSE((*wire)->publish({3, "sys.job.accepted", "c", "x"}));
  EXPECT_EQ((*wire)->health().unpublished, 2u);
}

TEST(NatsUrls, are_read_from_a_list) {
  EXPECT_EQ(nats_urls("nats://a, tls://b:4222")->size(), 2u);
  EXPECT_FALSE(nats_urls("http://a"));
  EXPECT_TRUE(nats_urls("")->empty());
}

}  // namespace
}  // namespace fermata
