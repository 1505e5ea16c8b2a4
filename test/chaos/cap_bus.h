#pragma once
#include <gtest/gtest.h>
#include <nats/nats.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "adapters/cap/cap_codec.h"
#include "adapters/nats/handles.h"
#include "adapters/nats/nats_test_server.h"

namespace fermata::test {

/// A program that speaks CAP: a submitter, a worker, somebody who waits for results.
class CapBus {
 public:
  struct Heard {
    std::string bytes;
    std::string message_id;
    cap::Packet packet;
  };

  explicit CapBus(const std::string& url) {
    natsConnection* made = nullptr;
    EXPECT_EQ(natsConnection_ConnectTo(&made, url.c_str()), NATS_OK);
    connection_.reset(made);
    jsCtx* context = nullptr;
    EXPECT_EQ(natsConnection_JetStream(&context, made, nullptr), NATS_OK);
    jetstream_.reset(context);
  }

  void say(const std::string& subject, cap::Payload payload, const std::string& sender = "tester") {
    cap::Packet packet;
    packet.sender_id = sender;
    packet.created_at = now();
    packet.payload = std::move(payload);
    say_bytes(subject, codec_.write(packet));
  }
  void say_bytes(const std::string& subject, const std::string& bytes) {
    EXPECT_EQ(natsConnection_Publish(connection_.get(), subject.c_str(), bytes.data(),
                                     static_cast<int>(bytes.size())),
              NATS_OK);
    EXPECT_EQ(natsConnection_Flush(connection_.get()), NATS_OK);
  }

  class Ear {
   public:
    Ear(CapBus& bus, const std::string& subject) : bus_(bus) {
      natsSubscription* made = nullptr;
      EXPECT_EQ(natsConnection_SubscribeSync(&made, bus.connection_.get(), subject.c_str()),
                NATS_OK);
      EXPECT_EQ(natsConnection_Flush(bus.connection_.get()), NATS_OK);
      subscription_.reset(made);
    }
    /// Nothing when there is none in time.
    std::optional<Heard> next(int64_t patience_ms = 30'000) {
      natsMsg* found = nullptr;
      if (natsSubscription_NextMsg(&found, subscription_.get(), patience_ms) != NATS_OK)
        return std::nullopt;
      return bus_.read(nats::Message(found));
    }

   private:
    CapBus& bus_;
    nats::Subscription subscription_;
  };
  Ear listen(const std::string& subject) { return Ear(*this, subject); }

  /// Everything that a stream keeps under a subject, oldest first.
  std::vector<Heard> kept(const char* stream, const std::string& subject) {
    std::vector<Heard> all;
    jsStreamInfo* found = nullptr;
    if (js_GetStreamInfo(&found, jetstream_.get(), stream, nullptr, nullptr) != NATS_OK) return all;
    nats::StreamInfo info(found);
    for (uint64_t at = info->State.FirstSeq; at <= info->State.LastSeq && at > 0; ++at) {
      natsMsg* message = nullptr;
      if (js_GetMsg(&message, jetstream_.get(), stream, at, nullptr, nullptr) != NATS_OK) continue;
      nats::Message owned(message);
      if (natsMsg_GetSubject(message) == subject) all.push_back(read(std::move(owned)));
    }
    return all;
  }
  /// Of a consumer, delivered or not.
  uint64_t unsettled(const char* consumer) {
    jsConsumerInfo* found = nullptr;
    js_GetConsumerInfo(&found, jetstream_.get(), "CORDUM_SYS", consumer, nullptr, nullptr);
    nats::ConsumerInfo info(found);
    return info ? info->NumPending + static_cast<uint64_t>(info->NumAckPending) : UINT64_MAX;
  }
  const CapCodec& codec() const { return codec_; }
  static Instant now() {
    return {std::chrono::duration_cast<std::chrono::milliseconds>(
                std::chrono::system_clock::now().time_since_epoch())
                .count()};
  }

 private:
  Heard read(nats::Message message) {
    Heard heard;
    heard.bytes.assign(natsMsg_GetData(message.get()),
                       static_cast<size_t>(natsMsg_GetDataLength(message.get())));
    const char* id = nullptr;
    if (natsMsgHeader_Get(message.get(), "Nats-Msg-Id", &id) == NATS_OK) heard.message_id = id;
    if (auto packet = codec_.read(heard.bytes)) heard.packet = *std::move(packet);
    return heard;
  }

  CapCodec codec_;
  nats::Connection connection_;
  nats::JetStream jetstream_;
};

/// A worker's pulse, until it is stopped or destroyed.
class Pulse {
 public:
  Pulse(const std::string& url, std::string worker, int32_t slots = 4, bool identity = false,
        std::string prefix = "")
      : thread_(
            [this, url, worker = std::move(worker), slots, identity, prefix = std::move(prefix)] {
              CapBus bus(url);
              cap::Handshake hello;
              hello.component_id = worker;
              hello.role = cap::Role::worker;
              hello.supported_versions = {1};
              if (identity) hello.capabilities = {{"dispatch_identity", true}};
              std::unique_lock lock(mutex_);
              do {
                bus.say(prefix + "sys.handshake", hello, worker);
                cap::Heartbeat beat;
                beat.worker_id = worker;
                beat.max_parallel_jobs = slots;
                beat.active_jobs = active;
                bus.say(prefix + "sys.heartbeat", beat, worker);
              } while (!stopped_.wait_for(lock, std::chrono::milliseconds(300),
                                          [this] { return ending_; }));
            }) {}
  ~Pulse() { stop(); }
  void stop() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  std::atomic<int32_t> active{0};

 private:
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace fermata::test
