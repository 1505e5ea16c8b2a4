#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <filesystem>

#include "adapters/cap/cap_codec.h"
#include "adapters/grpc_policy/grpc_output.h"
#include "adapters/grpc_policy/grpc_policy.h"
#include "adapters/http/http_calls.h"
#include "adapters/memory/memory_counters.h"
#include "adapters/memory/memory_leases.h"
#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/memory/wheel_timers.h"
#include "adapters/nats/nats_wire.h"
#include "adapters/otlp/otlp_telemetry.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/rabbitmq/rabbit_bus.h"
#include "adapters/redis/redis_shared.h"
#include "adapters/redis/redis_wire.h"
#include "adapters/scan/thread_scans.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/system/file_watch.h"
#include "adapters/system/memory.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_entropy.h"
#include "adapters/tzdata/tzdata_zones.h"
#include "adapters/yaml/yaml_text.h"
#include "cli/command.h"

extern char** environ;

/// The only place that knows every adapter: it puts them behind the names the commands use.
namespace fermata {
namespace {

template <class Kind>
class Opened final : public cli::OpenStore {
 public:
  explicit Opened(std::unique_ptr<Kind> store) : store_(std::move(store)) {}
  Store& store() override { return *store_; }
  Reader& reader() override { return *store_; }
  Catalog& catalog() override { return *store_; }
  Bulks& bulks() override { return *store_; }
  Retention& retention() override { return *store_; }
  DeadLetters& dead_letters() override { return *store_; }
  JobFiles& job_files() override { return *store_; }
  PolicyStore& policy() override { return *store_; }
  PoolStore& pools() override { return *store_; }
  Contacts& contacts() override { return *store_; }
  Accounts& accounts() override { return *store_; }
  Views& views() override { return *store_; }
  Outcome<bool> take_lead() override {
    if constexpr (requires(Kind& kind) { kind.take_lead(); }) return store_->take_lead();
    return true;
  }
  Outcome<void> look_who_leads() override {
    if constexpr (requires(Kind& kind) { kind.look_who_leads(); }) return store_->look_who_leads();
    return {};
  }
  Leader leader() override {
    if constexpr (requires(Kind& kind) { kind.leader(); }) {
      auto seen = store_->leader();
      return {std::move(seen.name), seen.serves};
    }
    return {};
  }
  Outcome<void> serve_others() override {
    if constexpr (requires(Kind& kind) { kind.serve_others(); }) return store_->serve_others();
    return {};
  }
  Passages* passages() override {
    if constexpr (requires(Kind& kind) { kind.passages(); }) return &store_->passages();
    return nullptr;
  }
  Replicas* replicas() override {
    if constexpr (requires(Kind& kind) { kind.replicas(); }) return &store_->replicas();
    return nullptr;
  }
  PoisonLetters* poison() override {
    if constexpr (std::derived_from<Kind, PoisonLetters>) return store_.get();
    return nullptr;
  }
  Outbox* outbox() override {
    if constexpr (std::derived_from<Kind, Outbox>) return store_.get();
    return nullptr;
  }
  std::map<std::string, uint64_t> unknown_commits() override {
    if constexpr (requires(Kind& kind) { kind.unknown_commits(); })
      return store_->unknown_commits();
    return {};
  }
  uint32_t epoch() override {
    if constexpr (requires(Kind& kind) { kind.epoch(); }) return store_->epoch();
    return 0;
  }
  Value facts() override {
    if constexpr (requires(Kind& kind) { kind.facts(); }) return store_->facts();
    return Value::object();
  }
  std::unique_ptr<transfer::Source> source() override {
    if constexpr (requires(Kind& kind) { kind.source(); }) return store_->source();
    return nullptr;
  }

 private:
  std::unique_ptr<Kind> store_;
};

PostgresOptions options_of(cli::PostgresWanted wanted) {
  PostgresOptions options;
  options.url = std::move(wanted.url);
  options.password = std::move(wanted.password);
  options.schema = std::move(wanted.schema);
  options.holder = std::move(wanted.holder);
  options.allow_unsafe = wanted.allow_unsafe;
  options.readers_max = wanted.readers_max;
  options.connect_timeout = Duration{wanted.connect_timeout_ms};
  options.statement_timeout = Duration{wanted.statement_timeout_ms};
  options.lock_timeout = Duration{wanted.lock_timeout_ms};
  options.tcp_user_timeout = Duration{wanted.tcp_user_timeout_ms};
  options.reach_for = Duration{wanted.reach_ms};
  options.lease = Duration{wanted.lease_ms};
  options.on_failure = std::move(wanted.reports.failed);
  options.on_recovery = std::move(wanted.reports.recovered);
  options.on_damage = std::move(wanted.reports.damaged);
  options.on_lead_lost = std::move(wanted.lead_lost);
  options.migrates = wanted.migrates;
  options.accept_other = wanted.accept_other;
  options.on_warning = std::move(wanted.warning);
  options.on_failover = std::move(wanted.failover);
  options.passages_max = wanted.carry_requests_max;
  options.passage_window_bytes = wanted.carry_window_bytes;
  options.skew_every = Duration{wanted.clock_compare_ms};
  options.now = std::move(wanted.now);
  if (wanted.skew)
    options.on_skew = [tell = std::move(wanted.skew)](const ClockSkew& skew) {
      tell(skew.ms, skew.error_ms);
    };
  return options;
}

class HandClock final : public cli::MovableClock {
 public:
  explicit HandClock(Instant start) : clock_(start) {}
  Instant now() const override { return clock_.now(); }
  void set(Instant now) override { clock_.set(now); }

 private:
  VirtualClock clock_;
};

class Visitor final : public StoreVisitor {
 public:
  explicit Visitor(const cli::StoredThings& things) : things_(things) {}
  void run(const StoredRun& run) override { things_.run(run); }
  void checkpoint(const StoredRun& run, const Checkpoint& checkpoint) override {
    things_.checkpoint(run, checkpoint);
  }
  void audit(const AuditEntry& entry) override { things_.audit(entry); }
  void definition(const DefinitionHash& hash, const std::string& canonical) override {
    things_.definition(hash, canonical);
  }
  void damage(const Error& error) override { things_.damage(error); }

 private:
  const cli::StoredThings& things_;
};

class Watched final : public cli::FileWatch {
 public:
  Watched(const std::string& file, std::function<void()> on_change)
      : watch_(file, std::move(on_change)) {}

 private:
  SystemFileWatch watch_;
};

class RedisBeside final : public cli::SharedIndex {
 public:
  explicit RedisBeside(std::unique_ptr<RedisShared> shared) : shared_(std::move(shared)) {}
  Timers* timers() override { return shared_->timers(); }
  Counters* counters() override { return shared_->counters(); }
  Leases* leases() override { return shared_->leases(); }
  std::unique_ptr<Feed> feed(Feed& inner) override { return shared_->feed(inner); }
  bool shows_waits() const override { return shared_->mirrors(); }
  void recall(std::span<const WaitRecord> waits) override { shared_->recall(waits); }
  void begin(std::function<std::optional<Value>()> ask_workers) override {
    shared_->begin(std::move(ask_workers));
  }
  void stop() override { shared_->stop(); }
  std::vector<std::string> degraded() const override {
    return shared_->is_away() ? std::vector<std::string>{"redis"} : std::vector<std::string>{};
  }
  std::string metrics() const override { return shared_->metrics(); }

 private:
  std::unique_ptr<RedisShared> shared_;
};

class RealWorld final : public cli::World {
 public:
  std::unique_ptr<cli::OpenStore> memory_store() override {
    return std::make_unique<Opened<MemoryStore>>(std::make_unique<MemoryStore>());
  }
  Outcome<std::unique_ptr<cli::OpenStore>> open_data(const std::string& directory,
                                                     cli::StoreReports reports) override {
    SqliteOptions options;
    options.on_failure = std::move(reports.failed);
    options.on_recovery = std::move(reports.recovered);
    options.on_damage = std::move(reports.damaged);
    FERMATA_TRY(store, open_sqlite(directory, std::move(options)));
    return std::unique_ptr<cli::OpenStore>(std::make_unique<Opened<SqliteStore>>(std::move(store)));
  }
  Outcome<std::unique_ptr<cli::OpenStore>> open_postgres(cli::PostgresWanted wanted) override {
    FERMATA_TRY(store, fermata::open_postgres(options_of(std::move(wanted))));
    return std::unique_ptr<cli::OpenStore>(
        std::make_unique<Opened<PostgresStore>>(std::move(store)));
  }
  Outcome<void> visit_postgres(cli::PostgresWanted wanted,
                               const cli::StoredThings& things) override {
    Visitor visitor(things);
    return fermata::visit_postgres(options_of(std::move(wanted)), visitor);
  }
  Outcome<void> backup_postgres(cli::PostgresWanted wanted, const std::string& file) override {
    return fermata::backup_postgres(options_of(std::move(wanted)), file);
  }
  Outcome<void> restore_postgres(cli::PostgresWanted wanted, const std::string& file) override {
    return fermata::restore_postgres(options_of(std::move(wanted)), file);
  }
  Outcome<std::vector<std::string>> pending_migrations(cli::PostgresWanted wanted) override {
    return fermata::pending_migrations(options_of(std::move(wanted)));
  }
  Outcome<void> migrate(cli::PostgresWanted wanted) override {
    return migrate_postgres(options_of(std::move(wanted)));
  }
  Outcome<std::unique_ptr<transfer::Target>> postgres_target(cli::PostgresWanted wanted) override {
    return open_postgres_target(options_of(std::move(wanted)));
  }
  Outcome<std::optional<transfer::Moved>> moved(const std::string& directory) override {
    return moved_sqlite(directory);
  }
  Outcome<void> backup(const std::string& directory, const std::string& file) override {
    return backup_sqlite(directory, file);
  }
  Outcome<void> restore(const std::string& file, const std::string& directory) override {
    return restore_sqlite(file, directory);
  }
  Outcome<std::pair<uint64_t, uint64_t>> compact(const std::string& directory) override {
    FERMATA_TRY(compacted, compact_sqlite(directory));
    return std::pair(compacted.bytes_before, compacted.bytes_after);
  }
  Outcome<void> visit(const std::string& directory, const cli::StoredThings& things) override {
    Visitor visitor(things);
    return visit_sqlite(directory, visitor);
  }

  std::unique_ptr<Timers> timers() override { return std::make_unique<WheelTimers>(); }
  Outcome<std::unique_ptr<Calls>> calls(cli::CallsWanted wanted) override {
    HttpCallsOptions options;
    FERMATA_TRY(policy, parse_network_policy(wanted.private_networks));
    options.policy = std::move(policy);
    options.in_flight_per_account_max = wanted.per_account_max;
    options.mails_per_account_max = wanted.mails_per_account_max;
    options.on_answer = std::move(wanted.on_answer);
    options.find_secrets = std::move(wanted.find_secrets);
    return std::unique_ptr<Calls>(std::make_unique<HttpCalls>(std::move(options)));
  }
  Outcome<std::unique_ptr<Telemetry>> telemetry(cli::TelemetryWanted wanted) override {
    OtlpOptions options;
    FERMATA_TRY(url, otlp_url(wanted.endpoint));
    FERMATA_TRY(headers, otlp_headers(wanted.headers));
    options.url = std::move(url);
    options.headers = std::move(headers);
    options.service_version = std::move(wanted.version);
    options.instance_id = std::move(wanted.instance_id);
    options.queue_max = wanted.queue_max;
    options.on_trouble = std::move(wanted.on_trouble);
    return std::unique_ptr<Telemetry>(std::make_unique<OtlpTelemetry>(std::move(options)));
  }
  Outcome<std::unique_ptr<PolicyKernel>> policy_kernel(cli::KernelWanted wanted) override {
    KernelOptions options{wanted.url, wanted.tls_ca, wanted.tls_required, wanted.insecure};
    FERMATA_TRY(address, kernel_address(options));
    return std::unique_ptr<PolicyKernel>(
        std::make_unique<GrpcPolicy>(address, std::move(wanted.on_answer)));
  }
  Outcome<std::unique_ptr<OutputKernel>> output_kernel(cli::KernelWanted wanted) override {
    KernelOptions options{wanted.url, wanted.tls_ca, wanted.tls_required, wanted.insecure};
    options.setting = "output_policy_kernel";
    FERMATA_TRY(address, kernel_address(options));
    return std::unique_ptr<OutputKernel>(
        std::make_unique<GrpcOutput>(address, std::move(wanted.on_answer)));
  }
  std::unique_ptr<Counters> counters(const Clock& clock) override {
    return std::make_unique<MemoryCounters>(clock);
  }
  Outcome<std::unique_ptr<Wire>> wire(cli::WireWanted wanted) override {
    NatsOptions options;
    FERMATA_TRY(urls, nats_urls(wanted.urls));
    options.urls = std::move(urls);
    options.user = std::move(wanted.user);
    options.password = std::move(wanted.password);
    options.tls_ca = std::move(wanted.tls_ca);
    options.stream_sys = std::move(wanted.stream_sys);
    options.stream_jobs = std::move(wanted.stream_jobs);
    options.prefix = std::move(wanted.prefix);
    options.unpublished_max = wanted.unpublished_max;
    options.unsettled_max = wanted.unsettled_max;
    options.on_warning = std::move(wanted.on_warning);
    FERMATA_TRY(wire, NatsWire::open(std::move(options)));
    return std::unique_ptr<Wire>(std::move(wire));
  }
  std::unique_ptr<cap::Codec> cap_codec() override { return std::make_unique<CapCodec>(); }
  Outcome<std::unique_ptr<cli::SharedIndex>> shared_index(cli::SharedIndexWanted wanted,
                                                          const Clock& clock) override {
    RedisSharedOptions options;
    options.timers = std::move(wanted.timers);
    options.leases = std::move(wanted.leases);
    options.password = std::move(wanted.password);
    options.prefix = std::move(wanted.prefix);
    options.cluster = std::move(wanted.cluster);
    options.replica = std::move(wanted.replica);
    options.unsafe_allowed = wanted.unsafe_allowed;
    options.full_payloads = wanted.full_payloads;
    options.mirrors = {wanted.mirrors.begin(), wanted.mirrors.end()};
    options.time_is_virtual = wanted.time_is_virtual;
    options.start_patience = Duration{wanted.start_patience_ms};
    options.on_due = std::move(wanted.on_due);
    options.on_trouble = std::move(wanted.on_trouble);
    options.on_warning = std::move(wanted.on_warning);
    // The stores of this build belong to one process, so what is its own is the store's.
    FERMATA_TRY(shared, RedisShared::open(std::move(options), clock,
                                          std::make_unique<MemoryCounters>(clock),
                                          std::make_unique<MemoryLeases>(clock)));
    return std::unique_ptr<cli::SharedIndex>(std::make_unique<RedisBeside>(std::move(shared)));
  }
  Outcome<std::unique_ptr<WireMemory>> wire_memory(cli::WireMemoryWanted wanted) override {
    RedisOptions options;
    FERMATA_TRY(address, read_redis_address(wanted.url));
    options.address = std::move(address);
    if (!wanted.password.empty()) options.address.password = std::move(wanted.password);
    options.prefix = std::move(wanted.prefix);
    options.unsafe_allowed = wanted.unsafe_allowed;
    options.on_warning = std::move(wanted.on_warning);
    FERMATA_TRY(memory, RedisWire::open(std::move(options)));
    return std::unique_ptr<WireMemory>(std::move(memory));
  }
  Outcome<std::unique_ptr<Bus>> bus(cli::BusWanted wanted) override {
    RabbitOptions options;
    FERMATA_TRY(addresses, rabbit_addresses(wanted.urls));
    for (RabbitAddress& address : addresses) {
      if (!wanted.password.empty()) address.password = wanted.password;
      address.tls_ca = wanted.tls_ca;
    }
    options.address = std::move(addresses.front());
    options.others.assign(addresses.begin() + 1, addresses.end());
    options.shape = {wanted.quorum, wanted.rune_compat};
    options.prefetch = wanted.prefetch;
    options.unconfirmed_max = wanted.unconfirmed_max;
    options.start_patience = Duration{wanted.connect_ms};
    options.origin = std::move(wanted.origin);
    options.on_news = std::move(wanted.on_news);
    options.on_trouble = std::move(wanted.on_trouble);
    FERMATA_TRY(bus, RabbitBus::open(std::move(options)));
    return std::unique_ptr<Bus>(std::move(bus));
  }
  std::unique_ptr<Clock> system_clock() override { return std::make_unique<SystemClock>(); }
  std::unique_ptr<cli::MovableClock> movable_clock(Instant start) override {
    return std::make_unique<HandClock>(start);
  }
  std::unique_ptr<Entropy> entropy() override { return std::make_unique<SystemEntropy>(); }
  Outcome<std::unique_ptr<ZoneSource>> zones(
      const std::string& directory, std::function<void(const std::string&)> on_problem) override {
    TzdataOptions options;
    options.directory = directory;
    options.on_problem = std::move(on_problem);
    FERMATA_TRY(source, TzdataZones::open(std::move(options)));
    return std::unique_ptr<ZoneSource>(std::move(source));
  }
  policy::TextReader policy_texts() override { return {read_yaml, complaint_about_pattern}; }
  std::unique_ptr<Scans> scans(ScanFiles& files, cli::ScansWanted wanted) override {
    ThreadScansOptions options;
    options.threads = wanted.threads;
    options.now = std::move(wanted.now);
    options.on_answer = std::move(wanted.on_answer);
    return std::make_unique<ThreadScans>(files, std::move(options));
  }
  std::unique_ptr<cli::FileWatch> watch_file(const std::string& file,
                                             std::function<void()> on_change) override {
    return std::make_unique<Watched>(file, std::move(on_change));
  }
};

void write_to(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

std::string own_path(const char* called_as) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? called_as : path.string();
}

int run_program(int count, char** words) {
  cli::Terminal terminal([](std::string_view text) { write_to(stdout, text); },
                         [](std::string_view text) { write_to(stderr, text); });
  RealWorld world;
  cli::Surroundings around{terminal, world, {}, own_path(words[0])};
  for (char** entry = environ; *entry != nullptr; ++entry) around.environment.emplace_back(*entry);
  bool colours = around.variable("NO_COLOR").empty() && around.variable("TERM") != "dumb";
  terminal.colour_out = colours && isatty(STDOUT_FILENO) == 1;
  terminal.colour_err = colours && isatty(STDERR_FILENO) == 1;
  terminal.live = isatty(STDERR_FILENO) == 1;
  std::vector<std::string> given(words + 1, words + count);
  return static_cast<int>(cli::run_command_line(given, around));
}

}  // namespace
}  // namespace fermata

int main(int count, char** words) {
  fermata::keep_freed_memory();
  return fermata::run_program(count, words);
}
