#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/graph/check.h"
#include "core/job/decide.h"
#include "core/schedule/decide.h"
#include "core/wait/zone_table.h"
#include "front/account_book.h"
#include "front/definitions.h"
#include "front/policy_board.h"
#include "front/pool_board.h"
#include "front/vault.h"
#include "host/callback_intake.h"
#include "host/contact_intake.h"
#include "host/intake.h"
#include "host/job_intake.h"
#include "host/kernel_desk.h"
#include "host/schedule_intake.h"
#include "host/signal_intake.h"
#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/clock.h"
#include "ports/contacts.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/reader.h"
#include "ports/replicas.h"
#include "ports/retention.h"
#include "ports/views.h"
#include "server/access.h"
#include "server/bulk.h"
#include "server/deadlines.h"
#include "server/feed_hub.h"
#include "server/http/handler.h"
#include "server/metrics.h"
#include "server/overdue_alerts.h"
#include "server/rate_limits.h"
#include "server/request_tracing.h"
#include "server/router.h"
#include "server/sessions.h"
#include "server/signal_counting.h"
#include "server/simulations.h"
#include "server/work_pool.h"

namespace fermata::server {

/// Present when the server runs on a virtual clock. Called on a worker thread and may block
/// until the engine is quiet. `set` and `advance` answer the clock's new time.
struct TestClock {
  std::function<Instant()> now;
  std::function<Outcome<Instant>(Instant)> set;
  std::function<Outcome<Instant>(Duration)> advance;
  /// Off: the engine's time stands still while the clock that people see goes on, so that what
  /// falls due becomes late. On: the engine catches up.
  std::function<Outcome<Instant>(bool enabled)> alarm;
};

/// What the API stands on. All must outlive it; the engine must have stopped (or refuse to reply)
/// before the Api is destroyed.
struct ApiParts {
  Intake& intake;
  Reader& reader;
  Catalog& catalog;
  Bulks& bulks;
  Clock& clock;
  Entropy& entropy;
  FeedHub& hub;
  front::Definitions& definitions;  ///< shared with the engine (engine_definitions.h)
  front::Vault& vault;
  Retention& retention;
  JobIntake& jobs;
  ScheduleIntake& schedules;
  DeadLetters& dead_letters;
  JobFiles& job_files;
  SignalIntake& signals;
  CallbackIntake& callbacks;
  front::PolicyBoard& policy;
  ContactIntake& contact_intake;
  Contacts& contacts;
  front::AccountBook& accounts;  ///< loaded; shared with the engine
  Views& views;
  front::PoolBoard& pools;
};

/// Present where the store can be moved to another (C-105). Both answer how far it has come.
struct StorePromotion {
  /// Begins it; fails with wrong_state while one is under way, or with invalid_setting.
  std::function<Outcome<Value>(const std::string& to, const std::string& password_file)> begin;
  std::function<Value()> state;
};

/// A line of the log; no secrets.
struct ApiLogLine {
  std::string message;
  std::vector<std::pair<std::string, Value>> fields;
};

struct ApiOptions {
  AccessOptions access;
  RateLimit rate_limit;
  size_t metrics_accounts_max = 0;  ///< accounts that metrics show by name; 0: they do not tell
  graph::DefinitionLimits definition_limits;
  int json_nesting_max = 128;
  int64_t wait_ms_max = 60'000;      ///< of `?wait=`; setting http_wait_ms_max
  int64_t webhook_wait_ms = 30'000;  ///< G-31, `respond: result`
  int64_t stream_keep_alive_ms = 15'000;
  size_t credential_bytes_max = 65'536;
  size_t bulk_items_max = 100'000;   ///< that one operation may act on
  uint32_t flow_snapshots_kept = 8;  ///< parks of a script that a fork may go back to
  job::Limits job_limits;
  PolicySettings policy{};
  RunLimits run_limits{};  ///< of simulations; those of the engine
  schedule::ScheduleLimits schedule_limits;
  size_t job_batch_max = 1'000;
  uint64_t job_log_bytes_max = 1 << 20;  ///< of one attempt
  bool approvals_allow_self = false;     ///< who started a run may answer its approvals
  size_t work_threads = 2;
  size_t work_queue_max = 1024;
  bool demo_echo = false;
  bool secure_cookies = false;  ///< the server speaks TLS
  std::string console_dir{};    ///< the console's files, instead of those in the program
  std::string version = "0.1.0";
  std::optional<TestClock> test_clock;
  std::function<size_t()> queue_depth;  ///< commands waiting for the engine
  std::function<uint64_t()> checkpoints_unreadable;
  std::function<uint64_t()> store_failures;
  std::function<uint64_t()> callbacks_pending;
  std::function<uint64_t()> resumes_delayed;  ///< by a store that was away
  /// Sends an alert of an account to its address, once and without looking back.
  std::function<void(const AccountId&, const std::string& url, const Value& body)> notify;
  std::function<uint64_t()> runs_removed;         ///< by retention
  std::function<uint64_t()> audit_lines_removed;  ///< by retention
  /// The zone data in force; absent: UTC only.
  std::function<std::shared_ptr<const ZoneTable>()> zones;
  std::function<bool()> ready;   ///< recovered; absent means yes
  Replicas* replicas = nullptr;  ///< of a store that others share; outlives the Api
  /// Why the clock forbids to decide (C-103); empty for nothing.
  std::function<std::string()> unfit;
  /// What stands beside the store and is away: the server goes on without it (C-7).
  std::function<std::vector<std::string>()> degraded;
  std::function<std::string()> more_metrics;  ///< lines that adapters add to /metrics
  /// A text as far as the output rules let it be read; absent: as it is.
  std::function<Value(const policy::AccountPolicy&, const policy::OutputFacts&, const Value&)>
      clean_text;
  policy::OutputSettings output{};
  std::function<size_t()> connections_open;
  std::function<void(const ApiLogLine&)> log;
  /// The settings in force: a list of {name, value, source}, without secrets (U-49).
  std::function<Value()> configuration;
  StorePromotion promotion{};          ///< absent functions: it cannot be moved
  std::function<Value()> store_facts;  ///< {kind, …} of where things are kept
  Telemetry* telemetry = nullptr;      ///< present where traces are collected; outlives the Api
  double trace_share = 1;              ///< of the traces that begin here, those that are recorded
};

/// The REST API: finds the route, guards it (origin, key, role, rate) and calls its handler. Knows
/// HTTP messages but no sockets; a Server feeds it, tests call it directly.
class Api final : public http::Handler {
 public:
  Api(ApiParts parts, ApiOptions options);
  /// Takes up what was under way when the server last stopped; the engine must have recovered.
  Outcome<void> recover();
  ~Api() override;

  http::Lane classify(http::Request& request) override;
  void handle(const http::Request& request, http::Responder responder) override;
  std::optional<http::BodyLimit> body_limit(http::Request& request) override;
  http::Response refuse(const Error& error) override;
  void answered(const http::Request& request, int status, std::chrono::nanoseconds took) override;

  // For handlers; all safe from any thread.
  Intake& intake() { return parts_.intake; }
  JobIntake& jobs() { return parts_.jobs; }
  ScheduleIntake& schedules() { return parts_.schedules; }
  SignalIntake& signals() { return signals_; }
  OverdueAlerts& overdue_alerts() { return overdue_alerts_; }
  DeadLetters& dead_letters() { return parts_.dead_letters; }
  JobFiles& job_files() { return parts_.job_files; }
  CallbackIntake& callbacks() { return parts_.callbacks; }
  front::PolicyBoard& policy() { return parts_.policy; }
  front::PoolBoard& pools() { return parts_.pools; }
  ContactIntake& contact_intake() { return parts_.contact_intake; }
  Contacts& contacts() { return parts_.contacts; }
  front::AccountBook& account_book() { return parts_.accounts; }
  Views& views() { return parts_.views; }
  Reader& reader() { return parts_.reader; }
  Catalog& catalog() { return parts_.catalog; }
  Bulks& bulks() { return parts_.bulks; }
  BulkRunner& bulk() { return bulk_; }
  Retention& retention() { return parts_.retention; }
  std::shared_ptr<const ZoneTable> zones() const {
    return options_.zones ? options_.zones() : utc_table();
  }
  FeedHub& hub() { return parts_.hub; }
  front::Definitions& definitions() { return parts_.definitions; }
  front::Vault& vault() { return parts_.vault; }
  KeyRing& keys() { return keys_; }
  Simulations& simulations() { return simulations_; }
  Sessions& sessions() { return sessions_; }
  Metrics& metrics() { return metrics_; }
  Deadlines& deadlines() { return deadlines_; }
  WorkPool& pool() { return pool_; }
  const ApiOptions& options() const { return options_; }
  Instant now() const { return parts_.clock.now(); }
  std::string new_uuid_v7();
  std::string new_uuid_v4();
  /// Tells one life of the server from another in the ids of account streams.
  const std::string& epoch() const { return epoch_; }
  std::chrono::steady_clock::time_point started_at() const { return started_at_; }
  const std::string& openapi() const { return openapi_; }
  /// True once the server has been asked to stop: /readyz says no.
  void set_stopping() { stopping_ = true; }
  bool stopping() const { return stopping_; }

  /// The console's answer to a request, if it is its business.
  std::optional<http::Response> console_for(const http::Request& request) const;
  /// Which console that is; empty when there is none.
  std::string console_tag() const;
  void fail(const Call& call, const Error& error);
  AuditLine audit(const Call& call, std::string action, std::string subject,
                  std::string reason = {}) const;

 private:
  void dispatch(Call call);
  void run(Call call);
  std::optional<http::Response> guard(Call& call);
  std::optional<http::Response> guard_account(Call& call);
  Outcome<void> read_query(Call& call) const;
  Outcome<void> read_body(Call& call) const;
  http::Response not_found(const http::Request& request);

  const ApiParts parts_;
  const ApiOptions options_;
  const std::span<const Route> routes_;
  const Router router_;
  const std::string openapi_;
  const std::chrono::steady_clock::time_point started_at_;
  std::mutex entropy_mutex_;
  std::string epoch_;
  std::atomic<bool> stopping_{false};
  KeyRing keys_;
  Sessions sessions_;
  RateLimits rates_;
  Metrics metrics_;
  SignalCounting signals_{parts_.signals, parts_.accounts, parts_.hub.wait_metrics()};
  OverdueAlerts overdue_alerts_{*this};
  BulkRunner bulk_{*this};
  Simulations simulations_{parts_.clock, parts_.hub};
  RequestTracing tracing_;
  Deadlines deadlines_;
  WorkPool pool_;  ///< last, so that its threads end before what they use
};

}  // namespace fermata::server
