#include "test/scenario/world.h"

#include <algorithm>

#include "adapters/tzdata/tzdata_zones.h"
#include "base/check.h"
#include "core/run/script_definition.h"
#include "core/run/snapshot.h"
#include "host/run_cache.h"
#include "test/scenario/scenario_text.h"

namespace fermata::scenario {

namespace {

constexpr int turns_max = 1'000'000;
constexpr int tries_max = 20;
/// Longer than the host waits before it asks an unavailable store again.
constexpr Duration healing{1'100};

}  // namespace

void World::Library::add(const std::string& name, const graph::DefinitionRef& definition) {
  current_[name] = definition->hash;
  canonical_[definition->hash] = definition->canonical;
  compiled_[definition->hash] = definition;
}

Outcome<graph::DefinitionRef> World::Library::definition(const DefinitionHash& hash) {
  auto [entry, fresh] = compiled_.try_emplace(hash);
  if (fresh) {
    auto compiled = ready_definition(canonical_.at(hash));
    check(compiled && (*compiled)->hash == hash);
    entry->second = *compiled;
  }
  return entry->second;
}

Outcome<FoundWorkflow> World::Library::workflow(const AccountId&, const WorkflowId& id,
                                                uint32_t version) {
  auto found = current_.find(id.text());
  if (found == current_.end())
    return fail(ErrorCode::workflow_not_found, "there is no workflow " + id.text());
  if (version > 1) return fail(ErrorCode::version_not_found, "there is only version 1");
  FERMATA_TRY(compiled, definition(found->second));
  return FoundWorkflow{compiled, 1};
}

void World::Lines::settled(const Run& live) {
  if (live.last_sequence > compared_events_max) return;
  if (encode_snapshot(live) != encode_snapshot(world.state(live.id)))
    throw Mistake{0, "the fold of the history of " + live.id.text() + " is not the live state"};
}

World::World(Manner manner, FaultPlan plan, uint64_t seed, RunLimits limits)
    : manner_(manner),
      plan_(plan),
      limits_(limits),
      entropy_(seed),
      server_([this](const CallTicket& ticket) -> std::string {
        const Run& run = state(ticket.run);
        auto token = run.tokens.find(ticket.token);
        if (token == run.tokens.end()) return "";
        return run.definition->nodes[token->second.node].id;
      }) {
  restart();
}

namespace {

/// Zone data read once: a clock that jumps by hours would have it looked for again all the time.
class ReadZones final : public ZoneSource {
 public:
  explicit ReadZones(std::shared_ptr<const ZoneTable> table) : table_(std::move(table)) {}
  std::shared_ptr<const ZoneTable> zones(Instant) override { return table_; }

 private:
  const std::shared_ptr<const ZoneTable> table_;
};

}  // namespace

ZoneSource& World::zone_data() {
  static ReadZones read((*TzdataZones::open({}))->zones({0}));
  return read;
}

void World::kill() {
  if (calls_) most_in_flight_ = std::max(most_in_flight_, calls_->most_in_flight());
  host_.reset();
  store_.crashed();
  timers_.reset();
  calls_.reset();
  library_.forget();
}

void World::restart() {
  kill();
  timers_ = std::make_unique<WheelTimers>();
  calls_ = std::make_unique<ScriptedCalls>(server_, clock_, plan_);
  scans_ = std::make_unique<DirectScans>(memory_, scanner_);
  HostSettings settings;
  settings.limits = limits_;
  // Recovery finds everything at once here; a scenario of ninety days need not stop at every sweep.
  settings.sweep_interval_ms = 86'400'000;
  if (manner_.forgetful) settings.cached_runs_max = settings.cached_schedules_max = 0;
  if (manner_.forgetful) settings.cached_contacts_max = 0;
  if (manner_.checkpoints) settings.schedule_checkpoint_events = 1;
  settings.checkpoint_events = manner_.checkpoints ? 1 : 0;
  HostPorts ports{store_,   *timers_,     *calls_, clock_,   entropy_,  feed_,
                  library_, &zone_data(), nullptr, &memory_, &accounts_};
  ports.scans = scans_.get();
  host_ = std::make_unique<Host>(ports, settings);
  failures_seen_ = 0;
  auto recovered = host_->recover();
  check(static_cast<bool>(recovered));
  if (policy_)
    check(host_->with_workers([this](Workers& workers) { workers.set_policy(policy_); }));
}

void World::set_policy(policy::PolicyPtr policy) {
  policy_ = std::move(policy);
  check(host_->with_workers([this](Workers& workers) { workers.set_policy(policy_); }));
  settle();
}

size_t World::most_in_flight() const {
  return std::max(most_in_flight_, calls_ ? calls_->most_in_flight() : 0);
}

/// False when there is nothing more to do now.
bool World::turn_once() {
  try {
    NextTurn next = host_->turn();
    next_turn_ = next.at;
    if (next.at_once || store_.in_flight() || scans_->in_flight() > 0) return true;
  } catch (const Crash&) {
    restart();
    return true;
  }
  std::optional<Instant> answer = calls_->next_answer();
  if (answer && *answer <= clock_.now()) return true;
  uint64_t failures = host_->counters().store_failures;
  bool failed = failures != failures_seen_;
  failures_seen_ = failures;
  // What could not be written is tried again a little later.
  if (failed) clock_.advance(healing);
  return failed;
}

void World::settle() {
  if (!host_) return;
  for (int turn = 0; turn_once(); ++turn)
    if (turn == turns_max) throw Mistake{0, "the host does not come to rest"};
  if (!manner_.repeats) return;
  wake_everyone();
  while (turn_once()) {
  }
}

void World::wake_everyone() {
  for (const RunId& run : feed_.runs)
    for (int copy = 0; copy < 2; ++copy) check(host_->submit({run, WakeRun{}}, {}));
  for (const schedule::Key& key : schedules_)
    for (int copy = 0; copy < 2; ++copy)
      check(host_->submit_schedule({key, schedule::WakeSchedule{}}, {}));
}

std::vector<Outcome<RunSummary>> World::send(const std::vector<Command>& commands) {
  using Box = std::shared_ptr<std::optional<Outcome<RunSummary>>>;
  std::vector<Box> replies(commands.size());
  for (int tries = 0;; ++tries) {
    if (tries == tries_max) throw Mistake{0, "a command is never answered"};
    for (size_t i = 0; i < commands.size(); ++i) {
      if (replies[i] && *replies[i]) continue;
      replies[i] = std::make_shared<std::optional<Outcome<RunSummary>>>();
      bool taken = host_->submit(commands[i], [box = replies[i]](Outcome<RunSummary> outcome) {
        box->emplace(std::move(outcome));
      });
      check(taken);
    }
    settle();
    bool answered = true;
    for (Box& reply : replies) {
      bool broken = *reply && !**reply &&
                    ((*reply)->error().code == ErrorCode::store_unavailable ||
                     (*reply)->error().code == ErrorCode::outcome_unknown);
      if (manner_.heals && broken) reply->reset();
      if (!*reply) answered = false;
    }
    if (answered) break;
  }
  std::vector<Outcome<RunSummary>> outcomes;
  for (Box& reply : replies) outcomes.push_back(std::move(**reply));
  return outcomes;
}

void World::tell(const std::vector<Signal>& signals) {
  for (int tries = 0; tries < tries_max; ++tries) {
    auto accepted = std::make_shared<size_t>(0);
    std::vector<IncomingSignal> incoming;
    for (const Signal& signal : signals) {
      incoming.push_back({signal, "tester", Duration{0}, {}});
      incoming.back().reply = [accepted](Outcome<SignalTold> told) {
        if (told) ++*accepted;
      };
    }
    check(host_->submit_signals(std::move(incoming)));
    settle();
    if (*accepted == signals.size()) return;
  }
  throw Mistake{0, "a signal is never accepted"};
}

void World::advance(Duration by) {
  Instant target = clock_.now() + by;
  while (true) {
    settle();
    Instant now = clock_.now();
    if (now >= target) return;
    Instant next = target;
    if (host_) {
      if (next_turn_ && *next_turn_ < next) next = *next_turn_;
      if (auto answer = calls_->next_answer(); answer && *answer < next) next = *answer;
    }
    clock_.set(std::max(next, now + Duration{1}));
  }
}

StoredRun World::stored(const RunId& id) {
  auto found = memory_.find(id, 1, SIZE_MAX);
  check(static_cast<bool>(found));
  return *std::move(found);
}

KnownDefinitions World::known(const RunId& id) {
  return {state(id).definition,
          [this](const DefinitionHash& hash) { return *library_.definition(hash); }};
}

const Run& World::state(const RunId& id) {
  auto summary = memory_.summary(id);
  check(static_cast<bool>(summary));
  uint64_t sequence = *summary ? (*summary)->last_sequence : 0;
  Folded& folded = folded_[id];
  if (sequence == 0 || folded.sequence == sequence) return folded.run;
  auto run = open_run(id, stored(id), library_);
  if (!run) throw Mistake{0, "the history cannot be folded: " + run.error().message};
  folded = {sequence, *std::move(run)};
  return folded.run;
}

}  // namespace fermata::scenario
