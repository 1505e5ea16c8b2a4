#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fstream>

#include "adapters/redis/redis_connection.h"
#include "base/json.h"
#include "front/cap/signed_codec.h"
#include "test/chaos/cap_bus.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"
#include "test/support/redis_process.h"

/// Programs that speak CAP beside a Redis that holds their bodies, and with signed packets.
namespace fermata::test {
namespace {

class CapBeside : public testing::Test {
 protected:
  void begin(std::vector<std::string> more) {
    ASSERT_TRUE(NatsTestServer::installed()) << "the package nats-server is needed";
    ASSERT_TRUE(nats.start());
    std::vector<std::string> words = {"--bus", nats.url(), "--jobs-lease-ms", "5000"};
    words.insert(words.end(), more.begin(), more.end());
    server = std::make_unique<ServerProcess>(directory.path() / "data", words);
    ASSERT_TRUE(server->start()) << server->log();
    bus = std::make_unique<CapBus>(nats.url());
  }
  static cap::JobRequest request(const std::string& id) {
    cap::JobRequest made;
    made.job_id = id;
    made.topic = "job.pay";
    made.context_ptr = R"(data:application/json,{"amount":12})";
    return made;
  }
  Value get(const std::string& path) {
    return test::request(server->port(), "GET", "/api/v1" + path).body;
  }
  bool state_becomes(const std::string& id, const std::string& state) {
    return await(60, [&] { return get("/jobs/" + id).get("state") == Value(state); });
  }
  RedisReply ask(const RedisCommand& command) {
    auto connection = RedisConnection::open(*read_redis_address(redis.url()), Duration{5'000});
    if (!connection) return {RedisReply::Kind::error, connection.error().message};
    auto reply = connection->run(command);
    return reply ? *reply : RedisReply{RedisReply::Kind::error, reply.error().message};
  }
  TemporaryDirectory directory;
  RedisProcess redis;
  NatsTestServer nats;
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<CapBus> bus;
};

// C-31, C-77, C-78
TEST_F(CapBeside, bodies_lie_in_redis_and_are_copied_before_a_result_counts) {
  ASSERT_TRUE(redis.start());
  begin({"--payloads", redis.url()});
  auto ear = bus->listen("worker.w1.jobs");
  Pulse worker(nats.url(), "w1");
  bus->say("sys.job.submit", request("j-1"));
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched) << server->log();
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  EXPECT_EQ(given.context_ptr, "redis://ctx:j-1");
  EXPECT_EQ(ask({"GET", "ctx:j-1"}).text, R"({"amount":12})");
  EXPECT_GT(ask({"TTL", "ctx:j-1"}).integer, 86'000);
  ask({"SET", "res:j-1", R"({"pages":[1,2]})"});
  cap::JobResult result;
  result.job_id = "j-1";
  result.status = cap::Status::succeeded;
  result.worker_id = "w1";
  result.result_ptr = "redis://res:j-1";
  result.dispatch = given.dispatch;
  bus->say("sys.job.result", result, "w1");
  ASSERT_TRUE(state_becomes("j-1", "SUCCEEDED")) << server->log();
  ask({"FLUSHALL"});
  EXPECT_EQ(to_json(get("/jobs/j-1/result").get("output")), R"({"pages":[1,2]})")
      << "the store has it";
}

// C-38
TEST_F(CapBeside, result_whose_bytes_are_lost_is_no_success) {
  ASSERT_TRUE(redis.start());
  begin({"--payloads", redis.url()});
  auto ear = bus->listen("worker.w1.jobs");
  Pulse worker(nats.url(), "w1");
  bus->say("sys.job.submit", request("j-1"));
  auto dispatched = ear.next();
  ASSERT_TRUE(dispatched) << server->log();
  const auto& given = std::get<cap::JobRequest>(dispatched->packet.payload);
  cap::JobResult result;
  result.job_id = "j-1";
  result.status = cap::Status::succeeded;
  result.worker_id = "w1";
  result.result_ptr = "redis://res:j-1";
  result.dispatch = given.dispatch;
  bus->say("sys.job.result", result, "w1");
  Value attempts;
  EXPECT_TRUE(await(60, [&] {
    attempts = get("/jobs/j-1/attempts").get("items");
    return attempts.size() > 0 && attempts.items()[0].get("outcome") == Value("failed");
  })) << server->log();
  EXPECT_NE(to_json(attempts).find("result_missing"), std::string::npos) << to_json(attempts);
}

// C-77
TEST_F(CapBeside, deliveries_that_are_done_with_are_known_to_guards) {
  ASSERT_TRUE(redis.start());
  begin({"--leases", redis.url()});
  bus->say("sys.job.submit", request("j-1"));
  ASSERT_TRUE(state_becomes("j-1", "SCHEDULED")) << server->log();
  EXPECT_TRUE(await(20, [&] {
    return ask({"EXISTS", "cordum:bus:processed:CORDUM_SYS:fermata_submit:1"}).integer == 1;
  })) << ask({"KEYS", "cordum:bus:*"}).items.size();
}

/// A pair of keys in files of its own.
struct KeyFiles {
  explicit KeyFiles(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    for (bool open : {false, true}) {
      std::filesystem::path file = folder / (open ? "open.pem" : "secret.pem");
      std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new_file(file.c_str(), "w"), BIO_free);
      if (open) {
        PEM_write_bio_PUBKEY(out.get(), key.get());
      } else {
        PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
      }
      (open ? public_file : private_file) = file.string();
    }
  }
  static std::string text_of(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string public_file, private_file;
};

// C-78
TEST_F(CapBeside, packets_are_signed_and_unsigned_ones_are_refused_where_that_is_asked_for) {
  KeyFiles ours(directory.path() / "ours"), theirs(directory.path() / "theirs");
  begin({"--nats-signatures", "require", "--nats-signing-key-file", ours.private_file,
         "--nats-trusted-keys", theirs.public_file});
  front::cap::SignedCodec::Keys keys;
  keys.own = *SigningKey::read(KeyFiles::text_of(theirs.private_file));
  keys.trusted = *TrustedKeys::read(KeyFiles::text_of(ours.public_file));
  CapCodec plain;
  front::cap::SignedCodec codec(plain, front::cap::Signatures::require, std::move(keys));
  auto ear = bus->listen("worker.w1.jobs");
  auto say = [&](const std::string& subject, cap::Payload payload) {
    cap::Packet packet;
    packet.sender_id = "tester";
    packet.created_at = CapBus::now();
    packet.payload = std::move(payload);
    bus->say_bytes(subject, codec.write(packet));
  };
  bus->say("sys.job.submit", request("unsigned"));
  say("sys.job.submit", request("signed"));
  cap::Heartbeat beat;
  beat.worker_id = "w1";
  beat.max_parallel_jobs = 1;
  std::optional<CapBus::Heard> dispatched;
  for (int i = 0; i < 60 && !dispatched; ++i) {
    say("sys.heartbeat", beat);
    dispatched = ear.next(500);
  }
  ASSERT_TRUE(dispatched) << server->log();
  EXPECT_TRUE(codec.read(dispatched->bytes)) << "what is sent is signed";
  EXPECT_EQ(std::get<cap::JobRequest>(dispatched->packet.payload).job_id, "signed");
  EXPECT_TRUE(await(60, [&] { return get("/dlq").get("items").size() == 1; })) << server->log();
  EXPECT_EQ(test::request(server->port(), "GET", "/api/v1/jobs/unsigned").status, 404);
}

// C-6
TEST_F(CapBeside, signatures_without_keys_keep_the_server_from_starting) {
  Ran ran = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data",
                         (directory.path() / "data").string(), "--bus", "nats://127.0.0.1:1",
                         "--nats-signatures", "verify"});
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_NE(ran.output.find("nats_trusted_keys"), std::string::npos) << ran.output;
  Ran shown = run_fermata({"serve", "--print-config", "--nats-signatures", "perhaps"});
  EXPECT_EQ(shown.code, 2) << shown.output;
}

}  // namespace
}  // namespace fermata::test
