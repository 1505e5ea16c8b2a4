#include "cli/engine.h"

#include "cli/forward_clock.h"

#include "base/json.h"
#include "base/uuid.h"
#include "cli/command.h"
#include "core/run/script_definition.h"
#include "front/callback_secrets.h"
#include "front/credential_use.h"
#include "front/inlined_credentials.h"
#include "host/tracing.h"
#include "server/principal.h"

namespace fermata::cli {

namespace {

KernelWanted kernel_at(const std::string& url, const Settings& settings,
                       std::function<void()> on_answer) {
  return {url, settings.policy_kernel_tls_ca, settings.policy_kernel_tls_required,
          settings.policy_kernel_insecure, std::move(on_answer)};
}

Outcome<void> add_kernels(World& world, Engine& engine, const Settings& settings,
                          const std::function<void()>& on_answer) {
  if (settings.policy != "rules") {
    if (settings.policy_kernel.empty())
      return fail(ErrorCode::invalid_setting, "policy is `" + settings.policy +
                                                  "`: policy_kernel must say where the kernel is, "
                                                  "as grpc://host:port.");
    FERMATA_TRY(kernel,
                world.policy_kernel(kernel_at(settings.policy_kernel, settings, on_answer)));
    engine.kernel = std::move(kernel);
  }
  if (!settings.output_policy_kernel.empty()) {
    FERMATA_TRY(reads,
                world.output_kernel(kernel_at(settings.output_policy_kernel, settings, on_answer)));
    engine.output_kernel = std::move(reads);
  }
  bool shared = engine.index && engine.index->counters();
  if (!shared && (engine.kernel || engine.output_kernel))
    engine.counters = world.counters(engine.clock());
  return {};
}

bool is_address(const std::string& setting) { return setting.find("://") != std::string::npos; }

}  // namespace

Outcome<std::string> redis_password_of(const Settings& settings) {
  if (settings.redis_password_file.empty()) return settings.redis_password.text;
  FERMATA_TRY(text, read_file(settings.redis_password_file));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

namespace {

/// Timers, leases and counters beside the store, where settings name a place.
Outcome<void> add_index(World& world, Engine& engine, const Settings& settings,
                        EngineWanted& wanted) {
  SharedIndexWanted index;
  if (is_address(settings.timers)) index.timers = settings.timers;
  if (is_address(settings.leases)) index.leases = settings.leases;
  if (index.timers.empty() && index.leases.empty()) return {};
  FERMATA_TRY(password, redis_password_of(settings));
  index.password = std::move(password);
  index.prefix = settings.redis_prefix;
  index.cluster = settings.redis_cluster;
  index.replica = uuid_v4(engine.entropy->next(), engine.entropy->next());
  index.unsafe_allowed = settings.redis_checks == "warn";
  index.full_payloads = settings.redis_payloads == "full";
  index.mirrors = redis_mirrors_of(settings);
  index.time_is_virtual = engine.movable != nullptr;
  index.on_due = wanted.on_answer;
  index.on_trouble = wanted.on_index_trouble;
  index.on_warning = wanted.on_index_warning;
  FERMATA_TRY(opened, world.shared_index(std::move(index), engine.clock()));
  engine.index = std::move(opened);
  return {};
}

}  // namespace

Outcome<Engine> make_engine(World& world, EngineWanted wanted, const Settings& settings,
                            Feed& feed) {
  Engine engine;
  engine.store = std::move(wanted.store);
  if (wanted.virtual_start) {
    engine.movable = world.movable_clock(*wanted.virtual_start);
  } else {
    engine.own_clock = std::make_unique<ForwardClock>(world.system_clock(), wanted.clock_shift);
  }
  engine.entropy = world.entropy();
  FERMATA_TRY_VOID(add_index(world, engine, settings, wanted));
  if (!engine.index || !engine.index->timers()) engine.timers = world.timers();
  FERMATA_TRY_VOID(add_kernels(world, engine, settings, wanted.on_answer));
  engine.vault = std::make_unique<front::Vault>(engine.store->catalog(), std::move(wanted.keys));
  FERMATA_TRY(calls,
              world.calls({wanted.private_networks, settings.http_calls_per_account_max,
                           wanted.on_answer, front::secrets_from(*engine.vault, engine.clock()),
                           settings.http_mails_per_account_max}));
  engine.calls = std::move(calls);
  FERMATA_TRY(callbacks, world.calls({wanted.callback_networks, settings.callback_in_flight_max,
                                      wanted.on_answer,
                                      front::callback_secrets_from(*engine.vault, engine.clock(),
                                                                   &engine.store->accounts())}));
  engine.callbacks = std::move(callbacks);
  engine.scans =
      world.scans(engine.store->job_files(), {std::clamp<size_t>(settings.jobs_scan_threads, 1, 64),
                                              [clock = &engine.clock()] { return clock->now(); },
                                              std::move(wanted.on_answer)});
  if (wanted.telemetry) {
    engine.telemetry = std::move(wanted.telemetry);
    engine.tracing = std::make_unique<TracingFeed>(feed, *engine.telemetry);
    engine.calls =
        std::make_unique<TracingCalls>(std::move(engine.calls), *engine.telemetry, engine.clock());
  }
  FERMATA_TRY(zones, world.zones(settings.tzdata, std::move(wanted.on_zone_problem)));
  engine.zones = std::move(zones);
  engine.accounts = std::make_unique<front::AccountBook>(engine.store->accounts());
  FERMATA_TRY_VOID(engine.accounts->load());
  engine.definitions = std::make_unique<front::Definitions>(engine.store->catalog());
  engine.engine_definitions =
      std::make_unique<server::EngineDefinitions>(*engine.definitions, engine.store->catalog());
  HostSettings host;
  host.limits = run_limits_of(settings);
  host.limits.callback_give_up_ms =
      static_cast<int64_t>(settings.callback_give_up_hours) * 3'600'000;
  host.limits.saga_skips_denied = settings.saga_on_denied == "skip";
  host.limits.saga_skips_failed = settings.saga_on_failed == "skip";
  if (settings.rabbitmq_execution == "hops" && !amqp_addresses(settings).empty())
    host.limits.hops = AccountId(settings.rabbitmq_account);
  host.limits.saga_idle_ms = static_cast<int64_t>(settings.saga_idle_hours) * 3'600'000;
  host.callbacks.timeout_ms = static_cast<int64_t>(settings.callback_timeout_ms);
  host.callbacks.in_flight_max = settings.callback_in_flight_max;
  host.callbacks.in_flight_per_endpoint_max = settings.callback_per_endpoint_max;
  host.turn_commands_max = settings.turn_commands_max;
  host.queue_commands_max = settings.queue_commands_max;
  host.cached_runs_max = settings.cached_runs_max;
  host.checkpoint_events = settings.checkpoint_events;
  host.checkpoint_bytes = settings.checkpoint_bytes;
  host.checkpoints_kept = static_cast<uint32_t>(settings.checkpoints_kept);
  host.cached_schedules_max = settings.cached_schedules_max;
  host.schedules = schedule_limits_of(settings);
  host.schedule_history_events_max = settings.schedule_history_events_max;
  host.cached_jobs_max = settings.cached_jobs_max;
  host.jobs = job_limits_of(settings);
  host.epoch = engine.store->epoch();
  host.policy = policy_settings_of(settings);
  host.output = output_settings_of(settings);
  host.fleet.pools["default"].lease_ms = static_cast<int64_t>(settings.jobs_lease_ms);
  host.fleet.load_write_ms = static_cast<int64_t>(settings.jobs_load_write_ms);
  host.sweep_interval_ms = static_cast<int64_t>(settings.sweep_interval_ms);
  Feed* told = engine.tracing ? engine.tracing.get() : &feed;
  if (engine.index) engine.indexed = engine.index->feed(*std::exchange(told, nullptr));
  if (engine.indexed) told = engine.indexed.get();
  engine.host = std::make_unique<Host>(
      HostPorts{engine.store->store(), engine.timers ? *engine.timers : *engine.index->timers(),
                *engine.calls, engine.clock(), *engine.entropy, *told, *engine.engine_definitions,
                engine.zones.get(), engine.callbacks.get(), &engine.store->contacts(),
                engine.accounts.get(), engine.kernel.get(),
                engine.counters || !engine.index ? engine.counters.get() : engine.index->counters(),
                &engine.store->job_files(), engine.scans.get(), engine.output_kernel.get(),
                wanted.announcer, wanted.announcer ? engine.store->outbox() : nullptr},
      host);
  return std::move(engine);
}

Outcome<void> keep_inlined(Engine& engine, const GraphFile& file, const Settings& settings) {
  Catalog& catalog = engine.store->catalog();
  Instant now = engine.clock().now();
  FERMATA_TRY(inlining, front::inline_credentials(
                            *engine.vault, catalog, file.document,
                            {server::default_account, now, settings.credential_bytes_max}));
  if (!inlining.errors.empty())
    return fail(ErrorCode::invalid_definition, inlining.errors[0].message,
                std::move(inlining.errors));
  for (const CredentialPut& put : inlining.puts) {
    AuditLine line{put.account, now, "local", "credential.create", put.id, "given in a file", {}};
    FERMATA_TRY_VOID(catalog.put_credential(put, line));
  }
  return {};
}

std::string finding_line(const std::string& path, const Finding& finding) {
  std::string line = path;
  if (finding.line > 0)
    line += ":" + std::to_string(finding.line) + ":" + std::to_string(finding.column);
  line += ": " + finding.message;
  if (!finding.code.empty()) line += " [" + finding.code + "]";
  return line;
}

namespace {

GraphFile load_script(std::string text) {
  flow::CheckedScript checked = flow::check_script(text);
  GraphFile file{std::move(text), Value(), {}};
  file.checked.errors = checked.errors;
  file.checked.warnings = checked.warnings;
  if (!checked.errors.empty()) return file;
  file.checked.definition = make_script_definition(flow::make_definition(std::move(checked)));
  file.document = file.checked.definition->canonical;
  return file;
}

}  // namespace

Outcome<std::shared_ptr<const ZoneTable>> zones_of(World& world, const Settings& settings) {
  FERMATA_TRY(source, world.zones(settings.tzdata, {}));
  return source->zones({0});
}

Outcome<GraphFile> load_graph(const std::string& path, const Settings& settings,
                              const ZoneTable& zones) {
  FERMATA_TRY(text, read_file(path));
  if (path.ends_with(".flow")) return load_script(std::move(text));
  Outcome<Value> document =
      parse_json(text, {.nesting_max = static_cast<int>(settings.json_nesting_max)});
  GraphFile file{std::move(text), document ? *document : Value(), {}};
  if (!document) {
    file.checked.errors = document.error().findings;
    return file;
  }
  file.checked =
      graph::check_definition(file.document, file.text, definition_limits_of(settings), &zones);
  return file;
}

}  // namespace fermata::cli
