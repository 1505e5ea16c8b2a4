#include "server/wire/gateway.h"

#include "adapters/cap/cap_codec.h"
#include "adapters/memory/memory_wire.h"
#include "base/hash.h"
#include "base/json.h"
#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

using Kind = WireSettlement::Kind;

/// Keeps letters, or cannot.
class Letters final : public PoisonLetters {
 public:
  Outcome<void> keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) override {
    std::lock_guard lock(mutex_);
    if (failures-- > 0) return fermata::fail(ErrorCode::store_unavailable, "full disk");
    kept_.push_back(entry);
    audited_.push_back(audit);
    return {};
  }
  std::vector<DeadLetterEntry> kept() {
    std::lock_guard lock(mutex_);
    return kept_;
  }
  std::atomic<int> failures{0};

 private:
  std::mutex mutex_;
  std::vector<DeadLetterEntry> kept_;
  std::vector<AuditLine> audited_;
};

/// An engine whose store is away.
class NoEngine final : public JobIntake {
 public:
  [[nodiscard]] bool submit_job(job::Command, JobReply reply) override {
    reply(Failure{Error{ErrorCode::store_unavailable, "away", {}}});
    return true;
  }
  [[nodiscard]] bool submit_jobs(std::vector<job::Command>, JobReplies) override { return false; }
  [[nodiscard]] bool with_workers(std::function<void(Workers&)>) override { return false; }
};

class WireGateway : public Jobs {
 protected:
  void begin(JobIntake* jobs = nullptr) {
    Api& api = world.api();
    GatewayOptions options;
    options.account = AccountId("default");
    options.base_url = "http://here";
    options.new_id = [&api] { return api.new_uuid_v7(); };
    gateway =
        std::make_unique<Gateway>(GatewayParts{wire, codec, jobs ? *jobs : api.jobs(), api.reader(),
                                               api.job_files(), api.dead_letters(), letters, clock},
                                  std::move(options));
    gateway->start();
  }
  void TearDown() override {
    if (gateway) gateway->stop();
  }
  std::string bytes_of(cap::Payload payload, const std::string& sender = "tester") {
    cap::Packet packet;
    packet.sender_id = sender;
    packet.payload = std::move(payload);
    return codec.write(packet);
  }
  /// Delivered, and what became of it.
  std::optional<WireSettlement> say(const std::string& subject, const std::string& bytes,
                                    uint32_t deliveries = 1, const std::string& id = "m-1") {
    WireDelivery delivery;
    delivery.number = ++last_number;
    delivery.subject = subject;
    delivery.bytes = bytes;
    delivery.deliveries = deliveries;
    delivery.id = id;
    wire.deliver(delivery);
    return wire.settled(delivery.number);
  }
  static cap::JobRequest request(const std::string& id) {
    cap::JobRequest made;
    made.job_id = id;
    made.topic = "pay";
    return made;
  }
  class NowClock final : public Clock {
   public:
    Instant now() const override { return {1'800'000'000'000}; }
  };

  MemoryWire wire;
  CapCodec codec;
  Letters letters;
  NowClock clock;
  std::unique_ptr<Gateway> gateway;
  uint64_t last_number = 0;
};

// C-71, C-230, J-83, JT-41
TEST_F(WireGateway, message_that_cannot_be_read_is_kept_before_it_is_settled_dead) {
  begin();
  std::string bytes = "\xff\xff";
  for (uint32_t deliveries : {1, 2, 3}) {
    auto settled = say("sys.job.submit", bytes, deliveries);
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->kind, Kind::again);
    EXPECT_EQ(settled->delay.ms, 5'000);
  }
  EXPECT_TRUE(letters.kept().empty());
  letters.failures = 1;
  auto failed = say("sys.job.submit", bytes, 4);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->kind, Kind::again);
  EXPECT_EQ(failed->delay.ms, 5'000);
  EXPECT_TRUE(letters.kept().empty());
  auto dead = say("sys.job.submit", bytes, 5);
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->kind, Kind::dead);
  ASSERT_EQ(letters.kept().size(), 1u);
  const job::DeadLetter letter = letters.kept()[0].letter;
  EXPECT_EQ(letter.reason_code, "poison_message");
  EXPECT_EQ(letter.error.get("details").get("bytes_base64"), Value(base64(bytes)));
  EXPECT_EQ(wire.published("sys.job.dlq").size(), 1u);
  EXPECT_EQ(gateway->counts().dead, 1u);
}

TEST_F(WireGateway, of_a_long_message_the_beginning_is_kept) {
  begin();
  auto dead = say("sys.job.submit", std::string(100'000, '\xff'), 4);
  ASSERT_TRUE(dead);
  const Value details = letters.kept().at(0).letter.error.get("details");
  EXPECT_EQ(details.get("size"), Value(100'000));
  std::string kept;
  ASSERT_TRUE(unbase64(details.get("bytes_base64").as_string(), kept));
  EXPECT_EQ(kept.size(), poison_bytes_max);
}

// C-71
TEST_F(WireGateway, message_that_the_server_gave_up_is_a_dead_letter) {
  begin();
  WireDelivery delivery;
  delivery.subject = "sys.job.submit";
  delivery.bytes = bytes_of(request("j-1"));
  delivery.deliveries = 100;
  delivery.exhausted = true;
  wire.deliver(delivery);
  for (int tries = 0; tries < 4'000 && letters.kept().empty(); ++tries) usleep(5'000);
  ASSERT_EQ(letters.kept().size(), 1u);
  EXPECT_EQ(letters.kept()[0].letter.attempts, 100u);
}

// C-219, J-85
TEST_F(WireGateway, result_that_is_delivered_again_is_a_duplicate) {
  begin();
  ASSERT_EQ(say("sys.job.submit", bytes_of(request("j-1")))->kind, Kind::ack);
  ASSERT_EQ(say("sys.job.submit", bytes_of(request("j-1")), 2)->kind, Kind::ack);
  EXPECT_EQ(get("/jobs").body.get("items").size(), 1u);
  std::string worker = enroll("w1");
  Value given = claim(worker, 1).get("jobs").items()[0];
  cap::JobResult result;
  result.job_id = "j-1";
  result.status = cap::Status::succeeded;
  result.worker_id = "w1";
  result.result_ptr = "data:application/json,7";
  EXPECT_EQ(text(given.get("job_id")), "j-1");
  // Whoever dies before it has acknowledged hears it once more.
  for (uint32_t deliveries : {1, 2, 3})
    EXPECT_EQ(say("sys.job.result", bytes_of(result, "w1"), deliveries)->kind, Kind::ack);
  EXPECT_EQ(get("/jobs/j-1").body.get("state"), Value("SUCCEEDED"));
  auto told = wire.published("sys.job.accepted");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].id, "jobacc:j-1:1");
}

// C-71
TEST_F(WireGateway, store_that_is_away_puts_messages_off_longer_and_longer) {
  NoEngine none;
  begin(&none);
  std::vector<int64_t> delays;
  for (uint32_t deliveries : {1, 2, 3, 5, 6, 90}) {
    auto settled = say("sys.job.submit", bytes_of(request("j-1")), deliveries);
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->kind, Kind::again);
    delays.push_back(settled->delay.ms);
  }
  EXPECT_EQ(delays, (std::vector<int64_t>{1'000, 2'000, 4'000, 16'000, 30'000, 30'000}));
  EXPECT_TRUE(letters.kept().empty());
}

TEST_F(WireGateway, own_packets_are_acknowledged_unread) {
  begin();
  cap::JobCancel cancel;
  cancel.job_id = "j-1";
  EXPECT_EQ(say("sys.job.cancel", bytes_of(cancel, "fermata:default"))->kind, Kind::ack);
  EXPECT_EQ(gateway->counts().refused, 0u);
}

// C-72
TEST_F(WireGateway, other_version_of_the_protocol_is_alerted_and_not_used) {
  begin();
  cap::Packet packet;
  packet.sender_id = "future";
  packet.version = 2;
  packet.payload = request("j-1");
  EXPECT_EQ(say("sys.job.submit", codec.write(packet))->kind, Kind::again);
  auto announced = wire.announced();
  ASSERT_EQ(announced.size(), 1u);
  EXPECT_EQ(announced[0].first, "sys.alert");
  auto alert = codec.read(announced[0].second);
  ASSERT_TRUE(alert);
  EXPECT_EQ(std::get<cap::Alert>(alert->payload).error_number, 100);
  EXPECT_EQ(get("/jobs/j-1").status, 404);
}

TEST_F(WireGateway, payload_that_does_not_belong_there_is_refused) {
  begin();
  EXPECT_EQ(say("sys.job.submit", bytes_of(cap::JobCancel{}))->kind, Kind::again);
  EXPECT_EQ(say("sys.job.result", bytes_of(cap::JobResult{}))->kind, Kind::again);
  EXPECT_EQ(say("sys.job.cancel", bytes_of(cap::JobCancel{}))->kind, Kind::again);
}

// J-12: who speaks of a job that nobody knows is not wrong, only late.
TEST_F(WireGateway, result_of_an_unknown_job_is_acknowledged) {
  begin();
  cap::JobResult result;
  result.job_id = "nobody";
  result.status = cap::Status::failed;
  result.worker_id = "w1";
  EXPECT_EQ(say("sys.job.result", bytes_of(result))->kind, Kind::ack);
}

// J-65
TEST_F(WireGateway, output_that_never_becomes_readable_fails_the_attempt) {
  begin();
  ASSERT_EQ(say("sys.job.submit", bytes_of(request("j-1")))->kind, Kind::ack);
  claim(enroll("w1"), 1);
  cap::JobResult result;
  result.job_id = "j-1";
  result.status = cap::Status::succeeded;
  result.worker_id = "w1";
  result.result_ptr = "redis://res:j-1";
  for (uint32_t deliveries : {1, 2, 3})
    EXPECT_EQ(say("sys.job.result", bytes_of(result, "w1"), deliveries)->kind, Kind::again);
  EXPECT_EQ(say("sys.job.result", bytes_of(result, "w1"), 4)->kind, Kind::ack);
  Value job = get("/jobs/j-1").body;
  EXPECT_EQ(job.get("state"), Value("FAILED")) << to_json(job);
  EXPECT_EQ(job.get("reason_code"), Value("invalid_result"));
}

// JT-43
TEST_F(WireGateway, one_idempotency_key_by_wire_and_by_http_is_one_job) {
  begin();
  cap::JobRequest by_key = request("");
  by_key.meta = cap::Metadata{};
  by_key.meta->idempotency_key = "k-1";
  EXPECT_EQ(say("sys.job.submit", bytes_of(by_key), 1, "m-1")->kind, Kind::ack);
  EXPECT_EQ(say("sys.job.submit", bytes_of(by_key), 1, "m-2")->kind, Kind::ack);
  Value actor = Value::object({{"id", "tester"}, {"type", "service"}});
  Value body = Value::object({{"topic", "pay"}, {"idempotency_key", "k-1"}, {"actor", actor}});
  auto again = post("/jobs", body);
  EXPECT_EQ(again.status, 201) << again.text;
  Value jobs = get("/jobs").body.get("items");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs.items()[0].get("id"), again.body.get("id"));
  by_key.context_ptr = "data:application/json,1";
  EXPECT_EQ(say("sys.job.submit", bytes_of(by_key), 4, "m-3")->kind, Kind::dead);
  EXPECT_EQ(get("/jobs").body.get("items").size(), 1u);
}

// What could not be told for want of room is told when there is some.
TEST_F(WireGateway, end_that_found_no_room_is_told_later) {
  begin();
  ASSERT_EQ(say("sys.job.submit", bytes_of(request("j-1")))->kind, Kind::ack);
  wire.set_full(true);
  cap::JobCancel cancel;
  cancel.job_id = "j-1";
  EXPECT_EQ(say("sys.job.cancel", bytes_of(cancel))->kind, Kind::again);
  wire.set_full(false);
  EXPECT_EQ(say("sys.job.cancel", bytes_of(cancel), 2)->kind, Kind::ack);
  EXPECT_EQ(wire.published("sys.job.accepted").size(), 1u);
}

}  // namespace
}  // namespace fermata::server
