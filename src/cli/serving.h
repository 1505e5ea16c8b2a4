#pragma once
#include <set>
#include <thread>

#include "cli/bus_service.h"
#include "cli/command.h"
#include "cli/engine.h"
#include "cli/log.h"
#include "cli/store_move.h"
#include "cli/store_watch.h"
#include "cli/test_clock.h"
#include "front/policy_board.h"
#include "front/pool_board.h"
#include "host/retention_loop.h"
#include "server/api.h"
#include "server/carry/forwarder.h"
#include "server/feed_hub.h"
#include "server/server.h"
#include "server/wire/gateway.h"

namespace fermata::cli {

/// Hands commits on to the hub and the lines of `log` nodes to the log.
class LoggingFeed final : public PassingFeed {
 public:
  LoggingFeed(Feed& hub, Log& log) : PassingFeed(hub), log_(log) {}
  void job_judged(const job::PolicyDecision& decision) override {
    PassingFeed::job_judged(decision);
    if (decision.source == "fail_open")
      log_.warn(decision.reason, {{"job_id", decision.job.text()}, {"topic", decision.topic}});
  }
  void kernel_named(const std::string& snapshot) override {
    PassingFeed::kernel_named(snapshot);
    log_.info("The policy kernel names its policy", {{"snapshot", snapshot}});
  }
  void breaker_changed(std::string_view name, breaker::State state) override {
    PassingFeed::breaker_changed(name, state);
    log_.warn("Circuit breaker of the policy kernel",
              {{"breaker", std::string(name)}, {"state", std::string(name_of(state))}});
  }
  void logged(const WriteLog& line) override {
    LogLevel level = log_level_of(line.level);
    if (line.trace_id.empty())
      return log_.write(level, line.message, {{"execution_id", line.run.text()}});
    log_.write(level, line.message,
               {{"execution_id", line.run.text()}, {"trace_id", line.trace_id}});
  }

 private:
  Log& log_;
};

/// Wakes the thread that waits for signals, by one that nobody outside sends.
void wake_server();

/// A server with its engine, from opening the store to closing it. Members are in the order in
/// which they depend on each other.
class Serving {
 public:
  /// `config_folder`: where the settings file is; the policy file is looked for beside it.
  /// `configuration`: every setting and where it came from, as the API shows it.
  Serving(Surroundings& around, const Settings& settings, std::string config_folder = "",
          Value configuration = Value::array());
  ~Serving();

  /// Waits at most so long; true when the server is told to end.
  using Stopped = std::function<bool(Duration)>;
  /// Opens the store and waits until this process leads it; what it is asked meanwhile it carries
  /// to the one that leads. False when it was told to end before.
  Outcome<bool> lead(const Stopped& stopped);
  /// Recovers and listens. On failure nothing is left running.
  Outcome<void> begin();
  /// Another process has taken the lead: nothing can be written any more.
  bool lead_lost() const { return lead_lost_; }
  /// The store is another than it was: everything that was read of it is to be read again.
  bool begins_anew() const { return begins_anew_; }
  /// The settings to go on with when the store has moved (C-105); nothing when it has not.
  std::optional<Settings> moved() const { return move_ ? move_->next() : std::nullopt; }
  /// The store was left and nothing can go on: the next start finds out where it is.
  bool move_broken() const { return move_ && move_->broken(); }
  /// How the store came to be here, for those who asked for it.
  void came_by(Value move) { came_by_ = std::move(move); }
  Value move_state() const { return move_ ? move_->state() : came_by_; }
  /// Stops accepting, lets answers under way leave, finishes the turn.
  void end(std::string_view why);

 private:
  Outcome<std::unique_ptr<OpenStore>> open_store();
  Outcome<std::unique_ptr<OpenStore>> open_postgres();
  Outcome<bool> stand_by(const Stopped& stopped);
  Outcome<void> listen_as_follower();
  /// Requests that others are asked are taken from now on, and those that have waited.
  Outcome<void> serve_others();
  void introduce(std::string_view role);
  void stop_listening();
  void clock_differs(int64_t ahead_ms, int64_t error_ms);
  void look_at_replicas();
  bool skewed() const { return skew_beyond_ != 0; }
  std::string skew_trouble() const;
  StoreReports store_reports();
  server::ServerOptions server_options() const;
  Outcome<server::AccessMode> choose_access();
  Outcome<void> build_engine();
  Outcome<std::unique_ptr<Telemetry>> open_telemetry();
  Outcome<void> look_at_credentials();
  Outcome<void> start_policy();
  void put_in_force(std::function<void(Workers&)> change);
  Outcome<void> start_pools();
  Outcome<void> listen();
  Outcome<void> open_wire();
  Outcome<void> open_signatures();
  Outcome<void> open_wire_memory();
  void make_gateways();
  void show_adapters(server::ApiOptions& options) const;
  std::string parts_metrics() const;
  /// What the server goes on without.
  std::vector<std::string> parts_away() const;
  Value store_facts() const;
  std::string durability() const;
  void offer_move(server::ApiOptions& options);
  /// Calls an account's own address, once.
  void notify(const AccountId& account, const std::string& url, const Value& body);
  void build_api();
  void make_retention();
  void recall_waits();
  void show_workers();
  Outcome<void> show_demo();
  std::string base_url() const;

  Surroundings& around_;
  const Settings settings_;
  const std::string config_folder_;
  const Value configuration_;
  std::unique_ptr<Clock> wall_clock_;
  Log log_;
  StoreWatch store_watch_{log_, *wall_clock_};
  server::FeedHub hub_;
  LoggingFeed feed_{hub_, log_};
  server::WireFeed wire_feed_{feed_};
  server::AccessMode access_ = server::AccessMode::local;
  std::atomic<bool> ready_{false};
  std::atomic<bool> leads_{false};  ///< from the moment it was taken, before anything is read
  std::atomic<bool> lead_lost_{false};
  std::atomic<bool> begins_anew_{false};
  /// Wakes the host when an answer comes; set before the first call is placed.
  std::atomic<Host*> host_{nullptr};
  std::unique_ptr<BusService> bus_;  ///< absent where there is no broker
  Engine engine_;
  std::unique_ptr<cap::Codec> plain_codec_;  ///< what `cap_codec_` signs, if it does
  std::unique_ptr<cap::Codec> cap_codec_;
  std::unique_ptr<WireMemory> wire_memory_;
  std::vector<std::unique_ptr<Wire>> wires_;  ///< one for each account, as `wire_accounts` says
  server::Gateways gateways_;
  std::atomic<bool> ending_{false};
  std::unique_ptr<front::PolicyBoard> policy_;
  std::unique_ptr<FileWatch> policy_watch_;
  std::unique_ptr<front::PoolBoard> pools_;
  std::unique_ptr<FileWatch> pools_watch_;
  std::unique_ptr<ClockMover> clock_mover_;
  std::atomic<uint64_t> alerts_sent_{0};
  Value came_by_ = Value::object({{"state", "none"}});
  std::unique_ptr<StoreMove> move_;      ///< absent where the store cannot be moved
  std::atomic<bool> compared_{false};    ///< the clock, with the store's
  std::atomic<int64_t> skew_beyond_{0};  ///< by how much this clock is ahead, when that is too much
  std::atomic<bool> skew_told_{false};
  std::atomic<int64_t> clock_ahead_ms_{0};  ///< of PostgreSQL's, when it was last compared
  std::atomic<Replicas*> replicas_{nullptr};
  std::set<std::string> settings_told_;  ///< of others, that differ from ours
  std::string fingerprint_;
  std::unique_ptr<server::Forwarder> forwarder_;  ///< of a server that has stood by
  std::unique_ptr<server::HandlerSwitch> switch_;
  std::unique_ptr<server::Api> api_;
  std::unique_ptr<server::Server> server_;
  std::thread host_thread_;
  std::unique_ptr<RetentionLoop> retention_;
  std::thread retention_thread_;
};

}  // namespace fermata::cli
