#include "adapters/postgres/postgres_store.h"

#include "adapters/postgres/audit_rows.h"
#include "adapters/postgres/opening.h"
#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/schema.h"
#include "adapters/postgres/server_check.h"
#include "adapters/postgres/store_parts.h"
#include "ports/cursor.h"

/// How the store is opened and led, and what it keeps of runs, jobs, schedules and audit.
namespace fermata {

using postgres::Connection;
using postgres::RootKind;

namespace {

constexpr size_t chained_at_once = 1000;
/// For commits, writes beside them, loads, upkeep, the lead and what is carried to it.
constexpr size_t connections_beside_readers = 6;

postgres::Neighbours::Settings neighbours_of(const PostgresOptions& options) {
  postgres::Neighbours::Settings settings;
  settings.schema = options.schema;
  settings.limits = {options.passages_max, options.passage_window_bytes};
  settings.now = options.now ? options.now : [] {
    auto since = std::chrono::system_clock::now().time_since_epoch();
    return Instant{std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
  };
  settings.skew_every = options.skew_every;
  if (options.on_skew)
    settings.skew = [tell = options.on_skew](const postgres::Skew& skew) {
      tell({skew.ms, skew.error_ms});
    };
  return settings;
}

}  // namespace

PostgresStore::Parts::Parts(PostgresOptions given)
    : options(std::move(given)),
      server(watched_server()),
      writer(server, options.settle_for, {options.on_failure, options.on_recovery}),
      loading(server, 1),
      readers(server, options.readers_max),
      neighbours(server, readers, neighbours_of(options)),
      lead(server, {options.holder, options.lease,
                    [this](uint64_t epoch) {
                      writer.lead_is(epoch);
                      neighbours.lead_is(epoch);
                    },
                    options.on_lead_lost}),
      upkeep(server, [this] { return writer.epoch() != 0; }),
      committing([this](const CommitBatch& batch) { return writer.commit(batch); }) {}

postgres::Server PostgresStore::Parts::watched_server() {
  postgres::Server watched = postgres::server_of(options);
  watched.on_timeline = [this](uint32_t now) {
    uint32_t before = timeline.exchange(now);
    if (before != 0 && before != now && options.on_failover) options.on_failover();
  };
  return watched;
}

PostgresStore::PostgresStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PostgresStore::~PostgresStore() = default;

Outcome<std::unique_ptr<PostgresStore>> open_postgres(PostgresOptions options) {
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  FERMATA_TRY_VOID(postgres::check_server(connection, options.allow_unsafe));
  if (options.migrates)
    FERMATA_TRY_VOID(postgres::migrate(connection, options.schema));
  else
    FERMATA_TRY_VOID(postgres::expect_schema(connection, options.schema));
  FERMATA_TRY_VOID(postgres::refuse_unfinished(connection, options.schema));
  FERMATA_TRY_VOID(postgres::expect_own_system(connection, options.schema, options.accept_other));
  FERMATA_TRY_VOID(postgres::check_connections(
      connection, options.readers_max + connections_beside_readers, options.on_warning));
  FERMATA_TRY(identity, postgres::identity_of(connection));
  FERMATA_TRY(durability, postgres::durability_of(connection));
  if (options.holder.empty()) options.holder = "fermata";
  auto parts = std::make_unique<PostgresStore::Parts>(std::move(options));
  parts->timeline = identity.timeline;
  parts->identity = std::move(identity);
  parts->durability = std::move(durability);
  return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(parts)));
}

uint32_t PostgresStore::epoch() const { return parts_->store_epoch; }

std::map<std::string, uint64_t> PostgresStore::unknown_commits() const {
  postgres::Writer::Doubts doubts = parts_->writer.doubts();
  return {{"held", doubts.held}, {"gone", doubts.gone}};
}

Value PostgresStore::facts() const {
  return Value::object({{"durability", parts_->durability},
                        {"system_identifier", parts_->identity.system},
                        {"timeline", static_cast<int64_t>(parts_->timeline.load())},
                        {"epoch", static_cast<int64_t>(parts_->store_epoch.load())}});
}

Outcome<bool> PostgresStore::take_lead() {
  // One that has stood by since before a move began must not lead what is half there.
  FERMATA_TRY_VOID(parts_->readers.read(
      [&](Connection& c) { return postgres::refuse_unfinished(c, parts_->options.schema); }));
  FERMATA_TRY(leads, parts_->lead.take());
  if (!leads) {
    postgres::Lead::Seen seen = parts_->lead.seen();
    parts_->neighbours.leader_is(seen.fence, seen.serving);
    return false;
  }
  FERMATA_TRY(epoch, postgres::transacted<uint32_t>(parts_->writer, nullptr, [](Connection& c) {
                return postgres::settle_epoch(c);
              }));
  parts_->store_epoch = epoch;
  return true;
}
Outcome<void> PostgresStore::look_who_leads() {
  FERMATA_TRY(seen, parts_->lead.watch());
  parts_->neighbours.leader_is(seen.fence, seen.serving);
  return {};
}
PostgresStore::Leader PostgresStore::leader() {
  postgres::Lead::Seen seen = parts_->lead.seen();
  return {std::move(seen.holder), seen.serving};
}
Outcome<void> PostgresStore::serve_others() { return parts_->lead.serve(); }
Passages& PostgresStore::passages() { return parts_->neighbours; }
Replicas& PostgresStore::replicas() { return parts_->neighbours; }

std::vector<CommitOutcome> PostgresStore::commit(const CommitBatch& batch) {
  return parts_->writer.commit(batch);
}
void PostgresStore::submit(CommitBatch batch) { parts_->committing.submit(std::move(batch)); }
std::optional<CommitAnswer> PostgresStore::harvest() { return parts_->committing.harvest(); }
void PostgresStore::on_answer(std::function<void()> ring) {
  parts_->committing.on_answer(std::move(ring));
}
std::string PostgresStore::trouble() const { return parts_->writer.trouble(); }

Outcome<std::vector<StoredRun>> PostgresStore::load(std::span<const RunId> ids,
                                                    uint64_t checkpoint_before) {
  return parts_->load([&](Connection& c) { return load_runs(c, ids, checkpoint_before); });
}

Outcome<std::vector<StoredJob>> PostgresStore::load_jobs(std::span<const JobId> ids) {
  return parts_->load([&](Connection& c) { return postgres::load_jobs(c, ids); });
}

Outcome<std::vector<StoredSchedule>> PostgresStore::load_schedules(
    std::span<const schedule::Key> keys) {
  return parts_->load([&](Connection& c) { return postgres::load_schedules(c, keys); });
}

Outcome<Store::PendingPage> PostgresStore::pending(uint64_t after, size_t limit) {
  FERMATA_TRY(found, parts_->load([&](Connection& c) { return pending_runs(c, after, limit); }));
  for (const Error& damage : found.damages)
    if (parts_->options.on_damage) parts_->options.on_damage(damage);
  return std::move(found.page);
}

Outcome<Store::OpenJobsPage> PostgresStore::open_jobs(uint64_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::open_jobs(c, after, limit); });
}

Outcome<Store::OpenSchedulesPage> PostgresStore::open_schedules(uint64_t after, size_t limit) {
  return parts_->load([&](Connection& c) { return postgres::open_schedules(c, after, limit); });
}

Outcome<std::vector<RunId>> PostgresStore::live_runs_with(const AccountId& account,
                                                          const std::string& label_key,
                                                          const std::string& label_value,
                                                          size_t limit) {
  RunFilter filter;
  filter.account = account;
  filter.label_key = label_key;
  filter.label_value = label_value;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  FERMATA_TRY(page,
              parts_->load([&](Connection& c) { return list_runs(c, filter, limit, UINT64_MAX); }));
  std::vector<RunId> out;
  for (const RunSummary& run : page.items) out.push_back(run.id);
  return out;
}

Outcome<StoredRun> PostgresStore::find(const RunId& id, uint64_t first_sequence,
                                       size_t events_max) {
  return parts_->readers.read(
      [&](Connection& c) { return find_run(c, id, first_sequence, events_max); });
}

Outcome<StoredRun> PostgresStore::latest(const RunId& id) {
  FERMATA_TRY(loaded, parts_->readers.read([&](Connection& c) {
    return load_runs(c, std::span(&id, 1), UINT64_MAX);
  }));
  return std::move(loaded.front());
}

Outcome<std::optional<RunSummary>> PostgresStore::summary(const RunId& id) {
  return parts_->readers.read([&](Connection& c) { return run_summary(c, id); });
}

Outcome<RunPage> PostgresStore::list(const RunFilter& filter, size_t limit,
                                     const std::string& cursor, RunOrder order) {
  FERMATA_TRY(place, run_place(cursor, order));
  return parts_->readers.read(
      [&](Connection& c) { return list_runs(c, filter, limit, place, order); });
}

Outcome<std::vector<std::pair<RunStatus, uint64_t>>> PostgresStore::counts(
    const AccountId& account) {
  FERMATA_TRY(counted, parts_->readers.read(
                           [&](Connection& c) { return count_roots(c, RootKind::run, account); }));
  std::vector<std::pair<RunStatus, uint64_t>> out;
  for (auto [status, runs] : counted) out.emplace_back(static_cast<RunStatus>(status), runs);
  return out;
}

Outcome<StoredJob> PostgresStore::find_job(const JobId& id) {
  FERMATA_TRY(loaded, parts_->readers.read([&](Connection& c) {
    return postgres::load_jobs(c, std::span(&id, 1));
  }));
  return std::move(loaded.front());
}

Outcome<JobPage> PostgresStore::list_jobs(const JobFilter& filter, size_t limit,
                                          const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_jobs(c, filter, limit, before); });
}

Outcome<std::vector<std::pair<job::State, uint64_t>>> PostgresStore::count_jobs(
    const AccountId& account) {
  FERMATA_TRY(counted, parts_->readers.read(
                           [&](Connection& c) { return count_roots(c, RootKind::job, account); }));
  std::vector<std::pair<job::State, uint64_t>> out;
  for (auto [state, jobs] : counted) out.emplace_back(static_cast<job::State>(state), jobs);
  return out;
}

Outcome<StoredSchedule> PostgresStore::find_schedule(const schedule::Key& key) {
  FERMATA_TRY(loaded, parts_->readers.read([&](Connection& c) {
    return postgres::load_schedules(c, std::span(&key, 1));
  }));
  return std::move(loaded.front());
}

Outcome<SchedulePage> PostgresStore::list_schedules(const ScheduleFilter& filter, size_t limit,
                                                    const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return postgres::list_schedules(c, filter, limit, before); });
}

Outcome<std::vector<HistoryChunk>> PostgresStore::schedule_history(const schedule::Key& key,
                                                                   uint64_t before,
                                                                   size_t events_max) {
  return parts_->readers.read(
      [&](Connection& c) { return newest_history(c, key, before, events_max); });
}

/// What was answered is shown: lines that are not chained yet are chained first.
Outcome<AuditPage> PostgresStore::audit(const AuditFilter& filter, size_t limit,
                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read([&](Connection& c) -> Outcome<AuditPage> {
    for (size_t chained = chained_at_once; chained == chained_at_once;) {
      FERMATA_TRY(some, postgres::chain_audit(c, chained_at_once));
      chained = some;
    }
    return list_audit(c, filter, limit, before);
  });
}

}  // namespace fermata
