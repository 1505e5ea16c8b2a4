#include "cli/serving.h"

#include <unistd.h>

#include <condition_variable>
#include <filesystem>

#include "base/json.h"
#include "base/url_secret.h"
#include "cli/demo.h"
#include "cli/sealing_keys.h"
#include "core/fleet/view.h"
#include "server/http/address.h"

namespace fermata::cli {

using server::AccessMode;

namespace {

/// A path as one would type it from here.
std::string typed(const std::string& path) {
  std::error_code error;
  std::filesystem::path near = std::filesystem::proximate(path, error);
  bool below = !error && !near.empty() && *near.begin() != "..";
  return below ? near.string() : path;
}

}  // namespace

namespace {

Value known_facts(Value facts, OpenStore* store) {
  if (store == nullptr) return facts;
  const Value known = store->facts();
  for (const Value::Member& each : known.members()) facts.set(each.key.as_string(), each.value);
  return facts;
}

}  // namespace

Serving::Serving(Surroundings& around, const Settings& settings, std::string config_folder,
                 Value configuration)
    : around_(around),
      settings_(settings),
      config_folder_(std::move(config_folder)),
      configuration_(std::move(configuration)),
      wall_clock_(around.world.system_clock()),
      log_(
          settings.log == "json" || around.terminal.json, log_level_of(settings.log_level),
          [clock = wall_clock_.get()] { return clock->now(); },
          [terminal = &around.terminal](std::string_view line) { terminal->err(line); }) {}

Serving::~Serving() { end("failure"); }

Outcome<std::unique_ptr<OpenStore>> Serving::open_store() {
  if (settings_.store == "memory") {
    log_.warn("The store is memory: everything is forgotten when the server ends");
    return around_.world.memory_store();
  }
  if (is_shared_store(settings_)) return open_postgres();
  return around_.world.open_data(settings_.data, store_reports());
}

StoreReports Serving::store_reports() {
  return {[this](const Error& error) { store_watch_.failed(error); },
          [this] { store_watch_.recovered(); },
          [this](const Error& error) { store_watch_.damaged(error); }};
}

Outcome<AccessMode> Serving::choose_access() {
  FERMATA_TRY(address, http::parse_listen_address(settings_.listen));
  FERMATA_TRY(any_key, engine_.store->catalog().any_key());
  FERMATA_TRY(mode, server::choose_access(address, any_key, settings_.insecure));
  if (mode == AccessMode::local)
    log_.warn(
        "Local mode: there is no key, so every program on this machine is root. "
        "`fermata keys create " +
        (is_shared_store(settings_) ? "--store '" + without_password(settings_.store) + "'"
                                    : std::string("--data DIR")) +
        "` makes the first key");
  if (mode == AccessMode::insecure)
    log_.warn("Insecure: everyone who reaches this address is root");
  return mode;
}

Outcome<std::unique_ptr<Telemetry>> Serving::open_telemetry() {
  if (settings_.otlp.empty()) return std::unique_ptr<Telemetry>();
  TelemetryWanted wanted;
  wanted.endpoint = settings_.otlp;
  wanted.headers = settings_.otlp_headers.text;
  wanted.version = program_version;
  wanted.instance_id = std::to_string(getpid()) + "@" + settings_.listen;
  wanted.queue_max = settings_.otlp_queue_max;
  wanted.on_trouble = [this](const std::string& reason) {
    if (reason.empty()) return log_.warn("The collector of traces takes them again");
    log_.error("Traces cannot be delivered to the collector; they are dropped and counted",
               {{"reason", reason}, {"otlp", settings_.otlp}});
  };
  return around_.world.telemetry(std::move(wanted));
}

Outcome<void> Serving::build_engine() {
  check(engine_.store != nullptr);
  FERMATA_TRY(mode, choose_access());
  access_ = mode;
  FERMATA_TRY(virtual_start, virtual_start_of(settings_));
  EngineWanted wanted;
  wanted.store = std::move(engine_.store);
  wanted.virtual_start = virtual_start;
  wanted.clock_shift = clock_shift_of(settings_).value_or(Duration{});
  wanted.private_networks = settings_.http_private_networks;
  if (wanted.private_networks == "auto")
    wanted.private_networks = access_ == AccessMode::local ? "allow" : "deny";
  wanted.callback_networks = settings_.callback_networks;
  if (wanted.callback_networks == "auto")
    wanted.callback_networks = access_ == AccessMode::local ? "127.0.0.0/8,::1/128" : "deny";
  wanted.on_answer = [this] {
    if (Host* host = host_) host->wake();
  };
  wanted.keys = sealing_keys(settings_, [this](LogLevel level, const std::string& message) {
    log_.write(level, message);
  });
  FERMATA_TRY(telemetry, open_telemetry());
  wanted.telemetry = std::move(telemetry);
  wanted.on_zone_problem = [this](const std::string& problem) {
    log_.warn("Zone data", {{"problem", problem}});
  };
  wanted.on_index_trouble = [this](const std::string& trouble) {
    if (trouble.empty()) return log_.warn("Redis is back");
    log_.error("Redis cannot be used; the store does its work meanwhile", {{"reason", trouble}});
  };
  wanted.on_index_warning = [this](const std::string& warning) { log_.warn(warning); };
  if (!amqp_addresses(settings_).empty()) bus_ = std::make_unique<BusService>(settings_, log_);
  if (bus_) wanted.announcer = &bus_->announcer();
  FERMATA_TRY(engine, make_engine(around_.world, std::move(wanted), settings_, wire_feed_));
  engine_ = std::move(engine);
  FERMATA_TRY_VOID(look_at_credentials());
  host_ = engine_.host.get();
  if (engine_.movable) clock_mover_ = std::make_unique<ClockMover>(*engine_.movable, *engine_.host);
  if (bus_) FERMATA_TRY_VOID(bus_->open(around_.world, engine_));
  FERMATA_TRY_VOID(engine_.host->recover());
  recall_waits();
  FERMATA_TRY_VOID(start_pools());
  return start_policy();
}

/// A key that is wrong or missing keeps nothing from being served, but whoever starts the server
/// learns of it now and not from a run that fails.
Outcome<void> Serving::look_at_credentials() {
  FERMATA_TRY_VOID(engine_.vault->prepare());
  FERMATA_TRY(unreadable, engine_.vault->unreadable());
  if (unreadable.empty()) return {};
  log_.error(
      "Credentials cannot be opened: they were sealed under a key that is not given. Nodes that "
      "use them fail with credential_unreadable; nothing is lost",
      {{"count", unreadable.size()}, {"first", unreadable.front()}});
  return {};
}

/// How much room there is and how much is used; without a disk, only what it is.
Value Serving::store_facts() const {
  if (is_shared_store(settings_))
    return known_facts(
        Value::object({{"kind", "postgres"}, {"url", without_password(settings_.store)}}),
        engine_.store.get());
  Value facts = Value::object({{"kind", settings_.store}});
  if (settings_.store == "memory") return facts;
  facts.set("data", settings_.data);
  std::error_code failed;
  uint64_t bytes = 0;
  std::filesystem::directory_iterator files(settings_.data, failed), end;
  for (; !failed && files != end; files.increment(failed)) {
    std::error_code unknown;
    uint64_t size = files->is_regular_file(unknown) ? files->file_size(unknown) : 0;
    if (!unknown) bytes += size;
  }
  facts.set("bytes", bytes);
  auto space = std::filesystem::space(settings_.data, failed);
  if (!failed) facts.set("disk_free_bytes", space.available);
  return facts;
}

void Serving::notify(const AccountId& account, const std::string& url, const Value& body) {
  CallRequest request;
  request.account = account;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "Fermata"}};
  request.body = to_json(body);
  request.timeout_ms = 10'000;
  request.follow_redirects = 0;
  if (auto settings = engine_.accounts->accounts()->settings_of(account))
    request.allowed_networks = settings->callbacks.allow_networks;
  // Nobody waits for the answer: the next alert is the next attempt.
  engine_.callbacks->submit({RunId("alert " + account.text()), ++alerts_sent_, 1},
                            std::move(request));
}

void Serving::build_api() {
  server::ApiOptions options;
  options.access.mode = access_;
  if (settings_.metrics_per_account) options.metrics_accounts_max = settings_.metrics_accounts_max;
  options.rate_limit = {settings_.rate_limit_per_second, settings_.rate_limit_burst > 0
                                                             ? settings_.rate_limit_burst
                                                             : settings_.rate_limit_per_second};
  options.definition_limits = definition_limits_of(settings_);
  options.flow_snapshots_kept = run_limits_of(settings_).flow.snapshots_kept;
  options.json_nesting_max = static_cast<int>(settings_.json_nesting_max);
  options.wait_ms_max = static_cast<int64_t>(settings_.http_wait_ms_max);
  options.work_queue_max = settings_.http_work_queue_max;
  options.credential_bytes_max = settings_.credential_bytes_max;
  options.bulk_items_max = settings_.bulk_items_max;
  options.run_limits = run_limits_of(settings_);
  options.job_limits = job_limits_of(settings_);
  options.policy = policy_settings_of(settings_);
  options.output = output_settings_of(settings_);
  options.clean_text = [this](const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                              const Value& text) {
    return settings_.output_policy_enabled ? engine_.scans->cleaned(policy, facts, text) : text;
  };
  options.job_batch_max = settings_.jobs_batch_max;
  options.approvals_allow_self = settings_.approvals_allow_self;
  options.job_log_bytes_max = settings_.jobs_log_bytes_max;
  // Examples call it, and a run of the demo may outlive the server that was started with it.
  options.demo_echo = !settings_.demo.empty() || access_ == server::AccessMode::local;
  options.console_dir = settings_.console_dir;
  options.version = program_version;
  options.secure_cookies = !settings_.tls_cert.empty();
  if (clock_mover_) options.test_clock = clock_mover_->for_api();
  options.queue_depth = [host = engine_.host.get()] { return host->counters().queue_depth; };
  options.checkpoints_unreadable = [host = engine_.host.get()] {
    return host->counters().checkpoints_unreadable;
  };
  options.store_failures = [host = engine_.host.get()] { return host->counters().store_failures; };
  options.callbacks_pending = [host = engine_.host.get()] {
    return host->counters().callbacks_pending;
  };
  options.resumes_delayed = [host = engine_.host.get()] {
    return host->counters().resumes_delayed;
  };
  options.notify = [this](const AccountId& account, const std::string& url, const Value& body) {
    notify(account, url, body);
  };
  options.runs_removed = [this] { return retention_ ? retention_->counts().runs.load() : 0; };
  options.audit_lines_removed = [this] {
    return retention_ ? retention_->counts().audit_lines.load() : 0;
  };
  options.zones = [this] { return engine_.zones->zones(engine_.clock().now()); };
  options.ready = [this] { return ready_.load(); };
  options.unfit = [this] { return skew_trouble(); };
  options.replicas = engine_.store->replicas();
  show_adapters(options);
  options.connections_open = [this] { return server_ ? server_->connections_open() : 0; };
  options.log = [this](const server::ApiLogLine& line) {
    log_.write(LogLevel::error, line.message, line.fields);
  };
  options.configuration = [lines = configuration_] { return lines; };
  options.store_facts = [this] { return store_facts(); };
  offer_move(options);
  options.telemetry = engine_.telemetry.get();
  options.trace_share = settings_.otlp_share;
  options.schedule_limits = schedule_limits_of(settings_);
  api_ = std::make_unique<server::Api>(
      server::ApiParts{*engine_.host,
                       engine_.store->reader(),
                       engine_.store->catalog(),
                       engine_.store->bulks(),
                       clock_mover_ ? clock_mover_->seen() : engine_.clock(),
                       *engine_.entropy,
                       hub_,
                       *engine_.definitions,
                       *engine_.vault,
                       engine_.store->retention(),
                       *engine_.host,
                       *engine_.host,
                       engine_.store->dead_letters(),
                       engine_.store->job_files(),
                       *engine_.host,
                       *engine_.host,
                       *policy_,
                       *engine_.host,
                       engine_.store->contacts(),
                       *engine_.accounts,
                       engine_.store->views(),
                       *pools_},
      std::move(options));
}

server::ServerOptions Serving::server_options() const {
  server::ServerOptions options;
  options.listen = settings_.listen;
  options.tls_certificate_file = settings_.tls_cert;
  options.tls_key_file = settings_.tls_key;
  options.limits.parser.body_bytes_max = settings_.http_body_bytes_max;
  options.limits.parser.header_bytes_max = settings_.http_header_bytes_max;
  options.connections_max = settings_.http_connections_max;
  return options;
}

Outcome<void> Serving::listen() {
  // One that has stood by listens already.
  if (server_) return {};
  server_ = std::make_unique<server::Server>(server_options(), *api_);
  return server_->start();
}

Outcome<void> Serving::begin() {
  FERMATA_TRY_VOID(build_engine());
  make_retention();
  build_api();
  FERMATA_TRY_VOID(open_wire());
  FERMATA_TRY_VOID(listen());
  make_gateways();
  host_thread_ = std::thread([host = engine_.host.get()] { host->run(); });
  if (bus_) bus_->begin();
  FERMATA_TRY_VOID(api_->recover());
  retention_thread_ = std::thread([loop = retention_.get()] { loop->run(); });
  for (const auto& gateway : gateways_) gateway->start();
  show_workers();
  ready_ = true;
  FERMATA_TRY_VOID(serve_others());
  log_.info("Serving", {{"url", base_url()},
                        {"store", without_password(settings_.store)},
                        {"data", settings_.store == "sqlite" ? settings_.data : ""},
                        {"durability", durability()},
                        {"version", program_version},
                        {"tzdata", engine_.zones->zones(engine_.clock().now())->version()},
                        {"process", static_cast<int64_t>(getpid())}});
  if (!settings_.demo.empty()) return show_demo();
  return {};
}

/// Whether what is answered is on more than one machine (C-17).
std::string Serving::durability() const {
  const Value facts = engine_.store->facts();
  const Value& told = facts.get("durability");
  return told.is_string() ? std::string(told.as_string()) : "local";
}

/// Waits that an earlier life has opened, for those who look at them beside the store. Before the
/// first turn, so that nothing told here is older than what the engine tells.
void Serving::recall_waits() {
  if (!engine_.index || !engine_.index->shows_waits()) return;
  WaitFilter pending;
  pending.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  constexpr size_t page_waits = 1'000;
  WaitStart start;
  for (bool more = true; more;) {
    auto page = engine_.store->reader().list_waits(pending, page_waits, start);
    // What cannot be read now is shown when it changes.
    if (!page) break;
    engine_.index->recall(page->items);
    start.cursor = page->next_cursor;
    more = !start.cursor.empty();
  }
}

/// What the workers say of themselves is shown beside the store too (J-67).
void Serving::show_workers() {
  if (!engine_.index) return;
  engine_.index->begin([this]() -> std::optional<Value> {
    struct Answer {
      std::mutex mutex;
      std::condition_variable bell;
      std::optional<Value> workers;
    };
    auto answer = std::make_shared<Answer>();
    bool asked = engine_.host->with_workers([answer](Workers& workers) {
      Value all = Value::array();
      for (const auto& [id, registration] : workers.fleet().registrations())
        all.push(fleet::view::worker(registration));
      std::lock_guard lock(answer->mutex);
      answer->workers = std::move(all);
      answer->bell.notify_all();
    });
    if (!asked) return std::nullopt;
    constexpr std::chrono::seconds patience(2);
    std::unique_lock lock(answer->mutex);
    answer->bell.wait_for(lock, patience, [&] { return answer->workers.has_value(); });
    return answer->workers;
  });
}

void Serving::make_retention() {
  RetentionSettings settings;
  settings.run_days = static_cast<int64_t>(settings_.run_days);
  settings.audit_days = static_cast<int64_t>(settings_.audit_days);
  settings.job_days = static_cast<int64_t>(settings_.job_days);
  settings.dead_letter_days = static_cast<int64_t>(settings_.dead_letter_days);
  settings.dead_letters_max = settings_.dead_letters_max;
  settings.upload_ms = static_cast<int64_t>(settings_.jobs_upload_hours) * 3'600'000;
  settings.interval_ms = static_cast<int64_t>(settings_.retention_interval_ms);
  retention_ =
      std::make_unique<RetentionLoop>(engine_.store->retention(), engine_.clock(), settings);
  retention_->on_failure = [this](const Error& error) {
    log_.warn("What was kept long enough could not be removed; the next round tries again",
              {{"code", name_of(error.code)}, {"reason", error.message}});
  };
}

Outcome<void> Serving::show_demo() {
  FERMATA_TRY(demo, begin_demo(engine_, settings_, base_url()));
  around_.terminal.out(demo_text(demo, settings_, base_url(), typed(around_.program), getpid()));
  return {};
}

std::string Serving::base_url() const {
  Outcome<http::ListenAddress> address = http::parse_listen_address(settings_.listen);
  http::ListenAddress reachable = address ? *address : http::ListenAddress{};
  reachable.port = server_->port();
  if (reachable.host == "0.0.0.0") reachable.host = "127.0.0.1";
  if (reachable.host == "::") reachable.host = "::1";
  return (settings_.tls_cert.empty() ? "http://" : "https://") + http::to_text(reachable);
}

void Serving::end(std::string_view why) {
  if (!engine_.host) return stop_listening();
  bool was_serving = host_thread_.joinable();
  if (was_serving) log_.info("Stopping", {{"reason", why}});
  ready_ = false;
  ending_ = true;
  if (move_) move_->stop();
  policy_watch_.reset();
  pools_watch_.reset();
  if (api_) api_->set_stopping();
  if (engine_.index) engine_.index->stop();
  if (clock_mover_) clock_mover_->stop();
  stop_listening();
  if (bus_) bus_->end();
  if (retention_) retention_->stop();
  for (const auto& gateway : gateways_) gateway->stop();
  engine_.host->stop();
  if (was_serving) host_thread_.join();
  if (retention_thread_.joinable()) retention_thread_.join();
  host_ = nullptr;
  // Waits for answers that are being told: none may wake a host that is gone.
  engine_.kernel.reset();
  engine_.output_kernel.reset();
  api_.reset();
  move_.reset();
  wire_feed_.tell(nullptr);
  gateways_.clear();
  wires_.clear();
  policy_.reset();
  pools_.reset();
  retention_.reset();
  clock_mover_.reset();
  // Destroyed in the right order, the host first. Calls under way are dropped: nothing of them was
  // counted, so the next life places them again.
  {
    Engine ended = std::move(engine_);
  }
  if (was_serving) log_.info("Stopped");
}

}  // namespace fermata::cli
