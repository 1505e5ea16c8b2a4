#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "ports/feed.h"
#include "server/wire/wire_workers.h"

namespace fermata::server {

/// Submitters and workers that speak CAP over a bus (docs/guide/nats.md). What they say becomes the
/// same commands as by HTTP; a message is settled after the commit it caused, and an end is told
/// before the message that caused it is settled (ADR 0056). One thread, which `stop` ends; the
/// engine must have stopped before it is destroyed.
class Gateway {
 public:
  Gateway(GatewayParts parts, GatewayOptions options);
  ~Gateway();
  void start();
  void stop();

  /// A commit has left the job so; on the partition's thread.
  void settled(const job::Job& state);

  struct Counts {
    std::atomic<uint64_t> received{0};
    std::atomic<uint64_t> refused{0};  ///< deliveries, of messages that cannot be used
    std::atomic<uint64_t> dead{0};     ///< of them, those that became dead letters
    std::atomic<uint64_t> put_off{0};  ///< deliveries, because the store was away or busy
    std::atomic<uint64_t> labels_stripped{0};
    std::atomic<uint64_t> guarded{0};  ///< deliveries that a guard knew as done with
  };
  const Counts& counts() const { return counts_; }
  WireHealth health() const { return parts_.wire.health(); }

 private:
  void run();
  void post(std::function<void()> task);
  void handle(WireDelivery delivery);
  void use(WireDelivery delivery, cap::Packet packet);

  // intake.cpp
  void submit(WireDelivery delivery, const cap::Packet& packet, const cap::JobRequest& request);
  void cancel(WireDelivery delivery, const cap::Packet& packet, const cap::JobCancel& wanted);
  void result(WireDelivery delivery, const cap::JobResult& result);
  void hear_progress(const cap::JobProgress& progress);
  void hear_beat(const cap::Heartbeat& beat, Instant sent_at);
  void send(WireDelivery delivery, job::Command command);
  void replied(const WireDelivery& delivery, const JobId& job, const Outcome<JobTold>& told);
  /// The job under the account; nothing when it does not exist there.
  Outcome<std::optional<job::Job>> find(const JobId& id);
  Outcome<job::Payload> output_of(const job::Job& job, const cap::JobResult& result);
  Outcome<job::Payload> read_body(const std::string& text) const;
  void tell_cancelled(const WorkerId& worker, const fleet::LeaseKey& lease, bool understood);

  // bodies.cpp
  /// From any thread.
  void dispatch(const Value& job, const front::cap::DispatchTerms& terms);
  void publish_dispatch(front::cap::Outgoing out);
  /// Puts the input where the worker looks for it, and says so in the packet.
  void put_input(const Value& job, front::cap::Outgoing& out);
  /// The output that lies beside the store: nothing when the pointer leads elsewhere, an empty text
  /// inside when it is not there.
  struct LyingBody {
    bool beside = false;
    std::optional<std::string> text{};
  };
  Outcome<LyingBody> lying_body(const job::Job& job, const cap::JobResult& result);

  // settling.cpp
  /// Done with; guards are told (C-77).
  void settle_done(uint64_t number);
  void ack(const WireDelivery& delivery);
  void put_off(const WireDelivery& delivery, Duration pause);
  void fail(const WireDelivery& delivery, const Error& error);
  void refuse(const WireDelivery& delivery, const Error& error);
  /// False when the letter could not be kept; then nothing has happened.
  bool bury(const WireDelivery& delivery, const Error& error);

  // ends.cpp
  /// Has it told that the job ended; then the delivery is settled. Number 0: none waits for it.
  void tell_end(const JobId& id, uint64_t delivery);
  void tell_dead_letters(const job::Job& job);
  bool publish_end(const front::cap::Outgoing& out, uint64_t delivery);
  void confirmed(const WireConfirm& confirm);
  void catch_up();
  void catch_up_page();

  GatewayParts parts_;
  const GatewayOptions options_;
  WireWorkers workers_;
  Counts counts_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
  std::thread thread_;

  // Of the gateway's thread.
  std::map<uint64_t, GuardedPlace> places_;  ///< of deliveries that are not settled, for guards
  struct Telling {
    std::string message_id;
    std::vector<uint64_t> deliveries;
  };
  uint64_t last_ticket_ = 0;
  std::map<uint64_t, Telling> telling_;         ///< by ticket
  std::map<std::string, uint64_t> being_told_;  ///< ticket by message id
  std::set<std::string> told_;                  ///< message ids, the latest
  std::deque<std::string> told_in_order_;
  std::deque<JobId> untold_;  ///< found no room
  bool catching_up_ = false;
  Instant told_until_{};
  std::string cursor_;
};

using Gateways = std::vector<std::unique_ptr<Gateway>>;  ///< one for each account on the bus

/// Lines for /metrics: what all of them have counted together.
std::string metrics_of(const Gateways& gateways);

/// Hands commits on, and tells gateways of those of jobs.
class WireFeed final : public PassingFeed {
 public:
  using PassingFeed::PassingFeed;
  /// Before the first commit, and after the last; null: nobody.
  void tell(const Gateways* gateways) { gateways_ = gateways; }
  void job_settled(const job::Job& state) override {
    PassingFeed::job_settled(state);
    if (const Gateways* gateways = gateways_)
      for (const auto& gateway : *gateways) gateway->settled(state);
  }

 private:
  std::atomic<const Gateways*> gateways_{nullptr};
};

}  // namespace fermata::server
