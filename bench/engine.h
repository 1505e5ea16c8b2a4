#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/wheel_timers.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_entropy.h"
#include "bench/figures.h"
#include "front/definitions.h"
#include "host/host.h"
#include "server/engine_definitions.h"
#include "server/feed_hub.h"

/// A whole embedded engine in a directory, as `fermata serve` wires it, for measuring.
namespace fermata::bench {

/// No calls are made by what is measured here.
class NoCalls : public Calls {
 public:
  void submit(const CallTicket&, CallRequest) override {}
  void abandon(const CallTicket&) override {}
  std::vector<CallAnswer> harvest() override { return {}; }
  bool holds(const CallTicket&) const override { return false; }
  size_t in_flight() const override { return 0; }
};

/// Accounts without limits on their waits: what is measured is how many the engine can carry.
class NoLimits : public AccountSource {
 public:
  NoLimits();
  std::shared_ptr<const AccountTable> accounts() override { return table_; }

 private:
  std::shared_ptr<const AccountTable> table_;
};

/// Tells the hub, and whoever measures.
class MeasuringFeed : public Feed {
 public:
  explicit MeasuringFeed(server::FeedHub& hub) : hub_(hub) {}
  void committed(const RunSummary& summary, const HistoryChunk& events) override {
    bytes += events.bytes.size();
    if (is_terminal(summary.status)) {
      if (on_end) on_end(summary);
      ++ended;
    }
    hub_.committed(summary, events);
  }
  void job_committed(const job::Summary& summary, const HistoryChunk& events) override {
    ++job_commits;
    if (is_terminal(summary.state)) ++jobs_ended;
    hub_.job_committed(summary, events);
  }
  std::atomic<uint64_t> ended{0};
  std::atomic<uint64_t> job_commits{0};
  std::atomic<uint64_t> jobs_ended{0};
  std::atomic<uint64_t> bytes{0};
  std::function<void(const RunSummary&)> on_end;

 private:
  server::FeedHub& hub_;
};

class Engine {
 public:
  explicit Engine(const std::filesystem::path& directory);
  ~Engine();
  /// Stores a definition and gives it ready to start.
  graph::DefinitionRef define(const std::string& workflow, const std::string& json);
  graph::DefinitionRef define_script(const std::string& workflow, const std::string& source);
  Command start(const graph::DefinitionRef& definition, Value input);
  /// Waits until `count` runs have ended since the engine began; false after `seconds`.
  bool await_ended(uint64_t count, double seconds);
  Host& host() { return *host_; }

  std::unique_ptr<SqliteStore> store;
  WheelTimers timers;
  NoCalls calls;
  SystemClock clock;
  SystemEntropy entropy;
  NoLimits accounts;
  server::FeedHub hub;
  MeasuringFeed feed{hub};
  double open_seconds = 0;  ///< opening the file and recovering

  front::Definitions& definitions() { return *definitions_; }

 private:
  graph::DefinitionRef keep(const std::string& workflow, const graph::DefinitionRef& definition);

  std::unique_ptr<front::Definitions> definitions_;
  std::unique_ptr<server::EngineDefinitions> engine_definitions_;
  std::unique_ptr<Host> host_;
  std::thread thread_;
  std::atomic<uint64_t> next_id_{1};
};

double seconds_since(std::chrono::steady_clock::time_point start);
/// The value below which `fraction` of the samples lie; sorts them.
double percentile(std::vector<double>& samples, double fraction);
/// A fresh directory below the bench's data directory.
std::filesystem::path fresh_directory(const std::string& name);
uint64_t resident_bytes();

/// Keeps `outstanding` commands under way until `total` were answered; gives commands per second.
double closed_loop(Host& host, size_t outstanding, size_t total,
                   const std::function<Command()>& make);
inline double closed_loop(Engine& engine, size_t outstanding, size_t total,
                          const std::function<Command()>& make) {
  return closed_loop(engine.host(), outstanding, total, make);
}

struct Limits {
  double fsync_per_s_1 = 0;  ///< append + fdatasync, one record each
  double fsync_p50_ms = 0;
  double sqlite_per_s[4] = {};  ///< the same rows straight through SQLite, batches as below
  static constexpr size_t batches[4] = {1, 16, 128, 512};
};
Limits measure_limits();
/// Rows per second of one round straight through SQLite.
double straight_sqlite(size_t batch);
void measure_transitions(const Limits& limits);
void measure_runs(const Limits& limits);
void measure_latency(const Limits& limits);
void measure_timers();
void measure_split();
void measure_restart();
void measure_long_history();

}  // namespace fermata::bench
