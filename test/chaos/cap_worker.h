#pragma once
#include <poll.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "test/chaos/cap_bus.h"

namespace fermata::test {

/// A worker that speaks CAP and outlives its broker: it connects again for ever, says how much it
/// does, takes its time for a job and tells of its result until the stream has it.
class CapWorker {
 public:
  CapWorker(const std::string& url, std::string name, int work_ms)
      : url_(url), name_(std::move(name)), work_ms_(work_ms) {
    connect();
    beats_ = std::thread([this] { beat(); });
    work_ = std::thread([this] { work(); });
  }
  ~CapWorker() {
    ending_ = true;
    beats_.join();
    work_.join();
  }
  /// Jobs whose work has begun, and how often.
  std::map<std::string, int> begun() const {
    std::lock_guard lock(mutex_);
    return begun_;
  }
  bool busy() const { return active_ > 0; }

 private:
  void connect() {
    natsOptions* made = nullptr;
    ASSERT_EQ(natsOptions_Create(&made), NATS_OK);
    nats::Options options(made);
    natsOptions_SetURL(made, url_.c_str());
    natsOptions_SetMaxReconnect(made, -1);
    natsOptions_SetReconnectWait(made, 100);
    natsOptions_SetReconnectJitter(made, 50, 50);
    natsConnection* connection = nullptr;
    ASSERT_EQ(natsConnection_Connect(&connection, made), NATS_OK);
    connection_.reset(connection);
    jsCtx* context = nullptr;
    ASSERT_EQ(natsConnection_JetStream(&context, connection, nullptr), NATS_OK);
    jetstream_.reset(context);
    natsSubscription* ear = nullptr;
    std::string subject = "worker." + name_ + ".jobs";
    ASSERT_EQ(natsConnection_SubscribeSync(&ear, connection, subject.c_str()), NATS_OK);
    ear_.reset(ear);
  }
  std::string packet_of(cap::Payload payload) const {
    cap::Packet packet;
    packet.sender_id = name_;
    packet.created_at = CapBus::now();
    packet.payload = std::move(payload);
    return codec_.write(packet);
  }
  /// While the broker is away the library keeps it, or it is lost: the next one comes soon.
  void beat() {
    cap::Handshake hello;
    hello.component_id = name_;
    hello.role = cap::Role::worker;
    hello.supported_versions = {1};
    hello.capabilities = {{"dispatch_identity", true}};
    while (!ending_) {
      cap::Heartbeat pulse;
      pulse.worker_id = name_;
      pulse.max_parallel_jobs = 4;
      pulse.active_jobs = active_;
      for (const auto& [subject, bytes] :
           {std::pair("sys.handshake", packet_of(hello)), {"sys.heartbeat", packet_of(pulse)}})
        (void)natsConnection_Publish(connection_.get(), subject, bytes.data(),
                                     static_cast<int>(bytes.size()));
      (void)natsConnection_FlushTimeout(connection_.get(), 200);
      poll(nullptr, 0, 250);
    }
  }
  void work() {
    while (!ending_) {
      natsMsg* found = nullptr;
      if (natsSubscription_NextMsg(&found, ear_.get(), 100) != NATS_OK) continue;
      nats::Message message(found);
      auto packet =
          codec_.read({natsMsg_GetData(found), static_cast<size_t>(natsMsg_GetDataLength(found))});
      const auto* job = packet ? std::get_if<cap::JobRequest>(&packet->payload) : nullptr;
      if (job) take(*job);
    }
  }
  void take(const cap::JobRequest& job) {
    {
      std::lock_guard lock(mutex_);
      ++begun_[job.job_id];
    }
    ++active_;
    poll(nullptr, 0, work_ms_);
    cap::JobResult result;
    result.job_id = job.job_id;
    result.status = cap::Status::succeeded;
    result.worker_id = name_;
    result.result_ptr = "data:application/json,{\"by\":\"" + name_ + "\"}";
    result.dispatch = job.dispatch;
    std::string bytes = packet_of(result);
    bool told = false;
    while (!told && !ending_) {
      jsErrCode code{};
      jsPubAck* ack = nullptr;
      told = js_Publish(&ack, jetstream_.get(), "sys.job.result", bytes.data(),
                        static_cast<int>(bytes.size()), nullptr, &code) == NATS_OK;
      nats::PublishAck kept(ack);
      if (!told) poll(nullptr, 0, 100);
    }
    --active_;
  }

  const std::string url_, name_;
  const int work_ms_;
  CapCodec codec_;
  nats::Connection connection_;
  nats::JetStream jetstream_;
  nats::Subscription ear_;
  std::atomic<bool> ending_{false};
  std::atomic<int32_t> active_{0};
  mutable std::mutex mutex_;
  std::map<std::string, int> begun_;
  std::thread beats_, work_;
};

}  // namespace fermata::test
