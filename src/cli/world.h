#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/shared_index.h"
#include "core/policy/text.h"
#include "ports/accounts.h"
#include "ports/bulk.h"
#include "ports/bus.h"
#include "ports/call_secrets.h"
#include "ports/calls.h"
#include "ports/cap.h"
#include "ports/catalog.h"
#include "ports/clock.h"
#include "ports/contacts.h"
#include "ports/counters.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/outbox.h"
#include "ports/output_kernel.h"
#include "ports/passages.h"
#include "ports/poison.h"
#include "ports/policy_kernel.h"
#include "ports/policy_store.h"
#include "ports/pool_store.h"
#include "ports/reader.h"
#include "ports/replicas.h"
#include "ports/retention.h"
#include "ports/scans.h"
#include "ports/store.h"
#include "ports/telemetry.h"
#include "ports/timers.h"
#include "ports/transfer.h"
#include "ports/views.h"
#include "ports/wire.h"
#include "ports/wire_memory.h"
#include "ports/zones.h"

namespace fermata::cli {

/// The ports over one state, owned together.
class OpenStore {
 public:
  virtual ~OpenStore() = default;
  virtual Store& store() = 0;
  virtual Reader& reader() = 0;
  virtual Catalog& catalog() = 0;
  virtual Bulks& bulks() = 0;
  virtual Retention& retention() = 0;
  virtual DeadLetters& dead_letters() = 0;
  virtual JobFiles& job_files() = 0;
  virtual PolicyStore& policy() = 0;
  virtual PoolStore& pools() = 0;
  virtual Contacts& contacts() = 0;
  virtual Accounts& accounts() = 0;
  virtual Views& views() = 0;
  /// Tries once to be the one process that writes; false while another is. A store of our own is
  /// always led.
  virtual Outcome<bool> take_lead() { return true; }
  /// Looks who leads, without trying.
  virtual Outcome<void> look_who_leads() { return {}; }
  /// What was seen when it was last tried or looked: who leads, and whether it takes the requests
  /// of others.
  struct Leader {
    std::string name;
    bool serves = false;
  };
  virtual Leader leader() { return {}; }
  /// While this process leads: from now on it takes them.
  virtual Outcome<void> serve_others() { return {}; }
  /// Null where no other process shares the store.
  virtual Passages* passages() { return nullptr; }
  virtual Replicas* replicas() { return nullptr; }
  /// Null where messages that cannot be used have no place.
  virtual PoisonLetters* poison() { return nullptr; }
  /// What the store keeps for brokers; null where it cannot.
  virtual Outbox* outbox() { return nullptr; }
  /// Commits whose answer was lost, by what was found out of them.
  virtual std::map<std::string, uint64_t> unknown_commits() { return {}; }
  /// Raised whenever commits may have been lost.
  virtual uint32_t epoch() { return 0; }
  /// What is known of where it is kept, for people; an empty object for nothing.
  virtual Value facts() { return Value::object(); }
  /// For a move to another store, gone before this is; null where there is none.
  virtual std::unique_ptr<transfer::Source> source() { return nullptr; }
};

/// A clock that stands still until it is told.
class MovableClock : public Clock {
 public:
  virtual void set(Instant now) = 0;
};

struct CallsWanted {
  std::string private_networks = "deny";  ///< deny, allow, or CIDRs separated by commas
  size_t per_account_max = 256;
  std::function<void()> on_answer;  ///< called on another thread
  FindSecrets find_secrets;         ///< of credentials; called on another thread
  size_t mails_per_account_max = 16;
};

/// How to reach a kernel; settings `policy_kernel…` and `output_policy_kernel`.
struct KernelWanted {
  std::string url;
  std::string tls_ca;
  bool tls_required = false;
  bool insecure = false;
  std::function<void()> on_answer;  ///< called on another thread
};

/// How to reach a broker; settings `bus` and `rabbitmq_…`.
struct BusWanted {
  std::string urls;      ///< of the nodes of one cluster, separated by commas
  std::string password;  ///< instead of one in the address, or empty
  std::string tls_ca;
  bool quorum = true;
  bool rune_compat = false;
  uint16_t prefetch = 64;
  size_t unconfirmed_max = 256;
  int64_t connect_ms = 30'000;
  std::string origin;
  std::function<void()> on_news;                       ///< called on another thread
  std::function<void(const std::string&)> on_trouble;  ///< empty text: it is over
};

/// A Redis for bodies and guards of the bus; settings `payloads` and `redis_…`.
struct WireMemoryWanted {
  std::string url;
  std::string password;
  std::string prefix;
  bool unsafe_allowed = false;
  std::function<void(const std::string&)> on_warning;
};

/// What a store has to say of itself, on the thread that met it.
struct StoreReports {
  std::function<void(const Error&)> failed;   ///< a write
  std::function<void()> recovered;            ///< a write, after one that failed
  std::function<void(const Error&)> damaged;  ///< something stored, each time it is met
};

/// A store in a PostgreSQL; settings `store` and `postgres_…`.
struct PostgresWanted {
  std::string url;
  std::string password;
  std::string schema;
  std::string holder;  ///< what others see who leads
  bool allow_unsafe = false;
  bool migrates = true;
  bool accept_other = false;
  size_t readers_max = 3;
  int64_t connect_timeout_ms = 3'000;
  int64_t statement_timeout_ms = 10'000;
  int64_t lock_timeout_ms = 2'000;
  int64_t tcp_user_timeout_ms = 5'000;
  int64_t reach_ms = 30'000;
  int64_t lease_ms = 12'000;
  size_t carry_requests_max = 4'000;
  size_t carry_window_bytes = 256 << 10;
  int64_t clock_compare_ms = 30'000;
  std::function<Instant()> now;  ///< the clock that is compared with the store's
  /// Told by how much it is ahead, and how exact that is; on a thread of its own.
  std::function<void(int64_t ahead_ms, int64_t error_ms)> skew;
  StoreReports reports;
  std::function<void(const Error&)> lead_lost;  ///< once, on a thread of its own
  std::function<void(const std::string&)> warning;
  std::function<void()> failover;  ///< once, on the thread that met it
};

struct TelemetryWanted {
  std::string endpoint;
  std::string headers;
  std::string version;
  std::string instance_id;
  size_t queue_max = 20'000;
  std::function<void(const std::string&)> on_trouble;  ///< empty text: it is over
};

struct ScansWanted {
  size_t threads = 1;
  std::function<Instant()> now;
  std::function<void()> on_answer;  ///< called on another thread
};

/// How to reach the bus; settings `bus` and `nats_…`.
struct WireWanted {
  std::string urls;
  std::string user;
  std::string password;
  std::string tls_ca;
  std::string stream_sys;
  std::string stream_jobs;
  std::string prefix{};  ///< of all subjects; then the streams are its own
  size_t unpublished_max = 10'000;
  size_t unsettled_max = 1'024;
  std::function<void(const std::string&)> on_warning;  ///< on another thread
};

/// Is shown what `verify` looks at.
struct StoredThings {
  std::function<void(const StoredRun&)> run;  ///< with its whole history
  std::function<void(const StoredRun&, const Checkpoint&)> checkpoint;
  std::function<void(const AuditEntry&)> audit;
  std::function<void(const DefinitionHash&, const std::string& canonical)> definition;
  std::function<void(const Error&)> damage;
};

/// Calls back, on a thread of its own, whenever a file may have changed.
class FileWatch {
 public:
  virtual ~FileWatch() = default;
};

/// The adapters as commands may ask for them. main.cpp implements it and is the only place that
/// knows which ones there are.
class World {
 public:
  virtual ~World() = default;
  virtual std::unique_ptr<OpenStore> memory_store() = 0;
  /// Fails with data_locked, data_damaged, schema_newer or io_failed.
  virtual Outcome<std::unique_ptr<OpenStore>> open_data(const std::string& directory,
                                                        StoreReports reports) = 0;
  /// Does not lead yet. Fails with store_unavailable, invalid_setting, schema_newer, data_damaged.
  virtual Outcome<std::unique_ptr<OpenStore>> open_postgres(PostgresWanted) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  virtual Outcome<void> visit_postgres(PostgresWanted, const StoredThings&) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  virtual Outcome<void> backup_postgres(PostgresWanted, const std::string& /*file*/) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  virtual Outcome<void> restore_postgres(PostgresWanted, const std::string& /*file*/) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  /// Names of those that are missing, in order.
  virtual Outcome<std::vector<std::string>> pending_migrations(PostgresWanted) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  virtual Outcome<void> migrate(PostgresWanted) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  /// The same as a store that is filled by a move.
  virtual Outcome<std::unique_ptr<transfer::Target>> postgres_target(PostgresWanted) {
    return fail(ErrorCode::invalid_setting, "this program cannot use PostgreSQL");
  }
  /// Where the store of a data directory has gone; nothing while it is the truth.
  virtual Outcome<std::optional<transfer::Moved>> moved(const std::string&) {
    return std::optional<transfer::Moved>{};
  }
  virtual Outcome<void> backup(const std::string& directory, const std::string& file) = 0;
  virtual Outcome<void> restore(const std::string& file, const std::string& directory) = 0;
  /// Answers the bytes of the database before and after.
  virtual Outcome<std::pair<uint64_t, uint64_t>> compact(const std::string& directory) = 0;
  virtual Outcome<void> visit(const std::string& directory, const StoredThings& things) = 0;

  virtual std::unique_ptr<Timers> timers() = 0;
  virtual Outcome<std::unique_ptr<Calls>> calls(CallsWanted wanted) = 0;
  /// Fails with invalid_setting.
  virtual Outcome<std::unique_ptr<Telemetry>> telemetry(TelemetryWanted wanted) = 0;
  /// Fails with invalid_setting, also where nothing would protect the way to it.
  virtual Outcome<std::unique_ptr<PolicyKernel>> policy_kernel(KernelWanted wanted) = 0;
  virtual Outcome<std::unique_ptr<OutputKernel>> output_kernel(KernelWanted wanted) = 0;
  virtual std::unique_ptr<Counters> counters(const Clock& clock) = 0;
  /// Retried while it cannot be reached, then fails with io_failed; with invalid_setting where what
  /// is there cannot be used.
  virtual Outcome<std::unique_ptr<Wire>> wire(WireWanted) {
    return fail(ErrorCode::not_implemented, "There is no bus here.");
  }
  virtual std::unique_ptr<cap::Codec> cap_codec() { return nullptr; }
  /// Retried while it cannot be reached, then fails with io_failed; with invalid_setting where it
  /// is not safe to use. `clock` must outlive it.
  virtual Outcome<std::unique_ptr<SharedIndex>> shared_index(SharedIndexWanted, const Clock&) {
    return fail(ErrorCode::not_implemented, "There is no index beside the store here.");
  }
  /// Fails as shared_index does.
  virtual Outcome<std::unique_ptr<WireMemory>> wire_memory(WireMemoryWanted) {
    return fail(ErrorCode::not_implemented, "There is no memory beside the store here.");
  }
  /// Fails with invalid_setting for what is unsafe, with io_failed when nobody answers (C-6).
  virtual Outcome<std::unique_ptr<Bus>> bus(BusWanted /*wanted*/) {
    return fail(ErrorCode::not_implemented, "this program speaks to no broker");
  }
  virtual std::unique_ptr<Clock> system_clock() = 0;
  virtual std::unique_ptr<MovableClock> movable_clock(Instant start) = 0;
  virtual std::unique_ptr<Entropy> entropy() = 0;
  /// Zone data of `directory`, or where that is empty the newer of the machine's and the program's
  /// own. Fails with invalid_setting. `on_problem` is told of files that cannot be read.
  virtual Outcome<std::unique_ptr<ZoneSource>> zones(
      const std::string& directory, std::function<void(const std::string&)> on_problem) = 0;
  virtual std::unique_ptr<Scans> scans(ScanFiles& files, ScansWanted wanted) = 0;
  /// Reads texts of policy.
  virtual policy::TextReader policy_texts() = 0;
  virtual std::unique_ptr<FileWatch> watch_file(const std::string& file,
                                                std::function<void()> on_change) = 0;
};

}  // namespace fermata::cli
