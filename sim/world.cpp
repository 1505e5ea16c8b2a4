#include "sim/world.h"

#include <algorithm>
#include <array>

#include "adapters/memory/memory_counters.h"
#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/history.h"
#include "core/run/script_definition.h"
#include "core/run/waiting.h"
#include "sim/auditors/answers.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

constexpr Instant beginning{1'767'225'600'000};  // 2026-01-01T00:00:00Z
constexpr uint64_t healed_turns_max = 20'000;
constexpr int64_t clock_error_max_ms = 3'600'000;

/// Shows the ledger what the host holds in memory, and that it tells of commits in their order.
class SimFeed final : public Feed {
 public:
  using Named = std::function<void(const std::string&)>;
  using Changed = std::function<void(breaker::State)>;
  SimFeed(const Ledger& ledger, const JobLedger& jobs, const ScheduleLedger& schedules, Named named,
          Changed changed)
      : ledger_(ledger),
        jobs_(jobs),
        schedules_(schedules),
        named_(std::move(named)),
        changed_(std::move(changed)) {}
  void kernel_named(const std::string& snapshot) override { named_(snapshot); }
  void breaker_changed(std::string_view, breaker::State state) override { changed_(state); }
  void committed(const RunSummary& summary, const HistoryChunk& events) override {
    HistoryChunk& last = told_[summary.id];
    // A request repeated within a millisecond may write the same again; when the store then does
    // not say whether it has, nobody can tell the one from the other.
    if (events == last) return;
    if (events.first_sequence < last.first_sequence + last.count)
      throw Violation{"the feed of " + summary.id.text() + " goes back"};
    last = events;
  }
  void settled(const Run& state) override { ledger_.compare(state); }
  void job_settled(const job::Job& state) override { jobs_.compare(state); }
  void schedule_settled(const schedule::Schedule& state) override { schedules_.compare(state); }

 private:
  const Ledger& ledger_;
  const JobLedger& jobs_;
  const ScheduleLedger& schedules_;
  const Named named_;
  const Changed changed_;
  std::map<RunId, HistoryChunk> told_;
};

template <class T, size_t N>
T pick(Random& dice, const std::array<T, N>& choices) {
  return choices[dice.below(N)];
}

HostSettings drawn_settings(Random& dice) {
  HostSettings settings;
  settings.turn_commands_max = pick(dice, std::array<size_t, 4>{1, 2, 8, 512});
  settings.cached_runs_max = pick(dice, std::array<size_t, 3>{1, 2, 20'000});
  settings.sweep_interval_ms = pick(dice, std::array<int64_t, 3>{5'000, 30'000, 120'000});
  settings.checkpoint_events = pick(dice, std::array<uint64_t, 4>{0, 1, 8, 2'000});
  settings.checkpoints_kept = pick(dice, std::array<uint32_t, 3>{1, 2, 3});
  settings.limits.steps_per_commit =
      pick(dice, std::array<uint32_t, 6>{1, 2, 3, 7, 10'000, 10'000});
  return settings;
}

}  // namespace

/// Everything that a crash takes away.
struct World::Process {
  explicit Process(World& world)
      : timers(world.chaos_),
        calls(world.chaos_, world.clock_, world.outside_, world.calls_may_fail_,
              [&world](const CallTicket& ticket, const CallRequest& request) {
                world.call_auditor_.sent(ticket, request);
              }),
        callbacks(world.chaos_, world.clock_, world.callback_outside_, world.calls_may_fail_,
                  [](const CallTicket&, const CallRequest&) {}),
        scans(world.chaos_, world.clock_, world.store_),
        kernel(world.chaos_, world.clock_, world.kernel_outside_),
        counters(world.clock_),
        feed(
            world.ledger_, world.job_ledger_, world.schedule_ledger_,
            [this, &world](const std::string& snapshot) {
              world.job_ledger_.kernel_named(snapshot, world.batches());
              if (std::exchange(kernel_spoke, true)) world.probe(Probe::kernel_renamed);
            },
            [&world](breaker::State state) {
              if (state == breaker::State::open) world.probe(Probe::kernel_circuit_opened);
              if (state == breaker::State::closed) world.probe(Probe::kernel_circuit_closed);
            }),
        host({world.store_, timers, calls, world.clock_, world.entropy_, feed, world.definitions_,
              &world.zones_, &callbacks, &world.store_, &world.accounts_, &kernel, &counters,
              nullptr, &scans, nullptr, nullptr, &world.outbox_},
             world.settings_) {}

  SimTimers timers;
  SimCalls calls;
  SimCalls callbacks;
  SimScans scans;
  SimKernel kernel;
  MemoryCounters counters;
  bool kernel_spoke = false;
  SimFeed feed;
  Host host;
};

World::World(uint64_t seed, Sabotage sabotage, bool tracing)
    : trace_(tracing),
      chaos_(seed, trace_),
      clock_(beginning),
      sabotage_(sabotage),
      ledger_(definitions_, trace_, [this](Probe reached) { probe(reached); }),
      job_ledger_(trace_),
      schedule_ledger_(trace_),
      contact_ledger_(ledger_, trace_, [this](Probe reached) { probe(reached); }),
      call_auditor_(ledger_, [this](Probe reached) { probe(reached); }),
      store_(chaos_, clock_, sabotage,
             {[this](const StoredRun& stored, const RunWrite& write) {
                ledger_.written(stored, write);
                outbox_.written(stored.summary.id, write);
                contact_ledger_.run_written(stored.summary.id);
              },
              [this](const StoredJob& stored, const JobWrite& write) {
                job_ledger_.written(stored, write, store_.commits());
              },
              [this](const StoredSchedule& stored, const ScheduleWrite& write) {
                schedule_ledger_.written(stored, write);
              },
              {},
              [this](const Contact& contact) { contact_ledger_.written(contact); },
              [this] { contact_ledger_.group_written(); },
              [this](const RunId& id) { return intrude(id); },
              [this](Probe reached) { probe(reached); }}),
      entropy_(Random(~seed).next()),
      clients_(chaos_, clock_, [this](const Command& command, const Outcome<RunSummary>& answer) {
        audit_answer(store_, command, answer, [this](Probe reached) { probe(reached); });
      }) {
  settings_ = drawn_settings(chaos_.dice());
  chaos_turns_ = static_cast<uint64_t>(chaos_.between(20, 250));
}

World::~World() = default;
JobIntake& World::job_intake() { return process_->host; }

void World::set_policy(policy::PolicyPtr policy) {
  policy_ = std::move(policy);
  if (process_) put_in_force();
}

void World::set_pools(fleet::PoolTablePtr pools) {
  pools_ = std::move(pools);
  if (process_) put_in_force();
}

void World::put_in_force() {
  if (pools_ && !process_->host.with_workers(
                    [pools = pools_](Workers& workers) { workers.set_pools(pools); }))
    throw Violation{"the queue of a small world is full"};
  if (!policy_) return;
  bool taken = process_->host.with_workers([this, policy = policy_](Workers& workers) {
    if (sabotage_ != Sabotage::policy || policies_in_force_++ == 0) workers.set_policy(policy);
    job_ledger_.in_force(policy->common().snapshot, batches());
  });
  if (!taken) throw Violation{"the queue of a small world is full"};
}

KernelOutside& World::use_kernel(PolicyMode mode, job::FailMode fail_mode) {
  settings_.policy.mode = mode;
  settings_.policy.fail_mode = fail_mode;
  job_ledger_.kernel_judges(fail_mode == job::FailMode::open);
  return kernel_outside_;
}

ScheduleIntake& World::schedule_intake() { return process_->host; }
SignalIntake& World::signal_intake() { return process_->host; }
ContactIntake& World::contact_intake() { return process_->host; }

graph::DefinitionRef World::define(const Value& document) {
  graph::CheckedDefinition checked = graph::check_definition(document);
  if (!checked.definition) {
    std::string reason = "the workload's definition is refused:";
    for (const Finding& finding : checked.errors)
      reason += "\n  " + finding.path + " " + finding.code + " " + finding.message;
    throw Violation{reason + "\n" + to_pretty_json(document)};
  }
  if (trace_.on()) trace_.line("definition ", to_json(document));
  definitions_.add(checked.definition);
  return checked.definition;
}

graph::DefinitionRef World::define(const std::string& workflow, const Value& document) {
  graph::DefinitionRef definition = define(document);
  definitions_.name(workflow, definition);
  return definition;
}

graph::DefinitionRef World::define_script(const std::string& source) {
  flow::CheckedScript checked = flow::check_script(source);
  if (!checked.errors.empty())
    throw Violation{"the workload's script is refused: " + checked.errors.front().message + "\n" +
                    source};
  if (trace_.on()) trace_.line("script ", source);
  graph::DefinitionRef definition =
      make_script_definition(flow::make_definition(std::move(checked)));
  definitions_.add(definition);
  return definition;
}

graph::DefinitionRef World::define_script(const std::string& workflow, const std::string& source) {
  graph::DefinitionRef definition = define_script(source);
  definitions_.name(workflow, definition);
  return definition;
}

graph::DefinitionRef World::define_if_legal(const Value& document) {
  graph::CheckedDefinition checked = graph::check_definition(document);
  if (!checked.definition) return nullptr;
  if (trace_.on()) trace_.line("definition ", to_json(document));
  definitions_.add(checked.definition);
  return checked.definition;
}

Request World::start(const std::string& run, const graph::DefinitionRef& definition, Value input) {
  StartRun body;
  body.account = AccountId("main");
  body.workflow = WorkflowId("w");
  body.workflow_version = 1;
  body.definition = definition;
  body.trigger = input;
  body.input = std::move(input);
  body.request_hash = "request of " + run;
  Request request;
  request.command = {RunId(run), std::move(body), "tester"};
  return request;
}

/// Another process writes to the run: a signal nobody waits for, so that only its version changes.
std::optional<RunWrite> World::intrude(const RunId& id) {
  const Run* state = ledger_.state(id);
  const StoredRun* stored = store_.truth(id);
  if (!state || !stored || state->finished() || has_ready_work(*state)) return std::nullopt;
  Run copy = *state;
  Command command{id, SignalRun{"noise", Value(), ""}, "engine"};
  auto decision = decide(copy, command, {clock_.now(), entropy_.next(), settings_.limits});
  if (!decision || decision->events.empty()) return std::nullopt;
  RunWrite write{stored->version, summarize(copy), encode_history(decision->events)};
  write.waits = std::move(decision->waits);
  write.approvals = std::move(decision->approvals);
  write.deliveries = std::move(decision->deliveries);
  return write;
}

void World::come_up() {
  process_.reset();
  if (chaos_.strikes(Fault::definitions_reloaded)) definitions_.forget_compiled();
  process_ = std::make_unique<Process>(*this);
  job_ledger_.kernel_named(std::nullopt, batches());
  // A server that cannot read its store at the start tries again.
  while (!process_->host.recover()) clock_.pass(Duration{chaos_.between(100, 5'000)});
  put_in_force();
}

void World::die() {
  ++report_.crashes;
  store_.crashed();
  clients_.crashed();
  for (;;) {
    clock_.pass(Duration{chaos_.between(0, 20'000)});
    try {
      return come_up();
    } catch (const SimCrash&) {
      ++report_.crashes;
    }
  }
}

void World::probe_host() {
  HostCounters counters = process_->host.counters();
  if (counters.commands_held > 0) probe(Probe::command_held);
  if (counters.commits_overlapped > 0) probe(Probe::commit_overlapped);
  if (counters.checkpoints_written > 0) probe(Probe::checkpoint_written);
  if (counters.checkpoints_restored > 0) probe(Probe::checkpoint_restored);
  if (counters.checkpoints_unreadable > 0) probe(Probe::checkpoint_passed_over);
}

void World::jump_clock() {
  int64_t error = clock_.error().ms;
  if (chaos_.strikes(Fault::clock_forward) && error < clock_error_max_ms)
    clock_.jump(Duration{chaos_.between(1, 600'000)});
  if (chaos_.strikes(Fault::clock_back) && error > -clock_error_max_ms)
    clock_.jump(Duration{-chaos_.between(1, 600'000)});
  if (chaos_.strikes(Fault::host_stalls)) clock_.pass(Duration{chaos_.between(1, 300'000)});
}

void World::turn() {
  ++report_.turns;
  jump_clock();
  clients_.deliver(process_->host, process_->host);
  trace_.line("turn ", report_.turns, " at ", to_rfc3339(clock_.true_now()), " error ",
              clock_.error().ms, " ms");
  try {
    next_ = process_->host.turn();
    probe_host();
  } catch (const SimCrash&) {
    die();
    next_ = {.at_once = true, .at = {}};
  }
}

/// Moves true time to when something happens next.
void World::pass_time(const NextTurn& next) {
  if (next.at_once) return clock_.pass(Duration{chaos_.between(0, 2)});
  std::optional<Instant> until;
  auto consider = [&](std::optional<Instant> at) {
    if (at && (!until || *at < *until)) until = at;
  };
  if (next.at) consider(*next.at - clock_.error());
  consider(process_->calls.next());
  consider(process_->callbacks.next());
  consider(process_->kernel.next());
  consider(process_->scans.next());
  consider(clients_.next());
  consider(store_.next());
  if (workload_) consider(workload_->next());
  if (until && *until > clock_.true_now()) return clock_.pass_until(*until);
  clock_.pass(Duration{1});
}

bool World::done() const {
  if (!clients_.idle() || !workload_->idle()) return false;
  for (const auto& [id, run] : ledger_.states())
    if (!run.finished()) return false;
  for (const auto& [id, job] : job_ledger_.states())
    if (!job.finished() || next_due(job, {})) return false;
  return true;
}

void World::report_stuck() {
  std::string reason = "not everything ends after healing:";
  if (!clients_.idle()) reason += " a caller is not answered;";
  for (const auto& [id, run] : ledger_.states()) {
    if (run.finished()) continue;
    reason += "\n  run " + id.text() + " waits for " + to_json(waiting_of(run)) + " next_due " +
              (summarize(run).next_due ? to_rfc3339(*summarize(run).next_due) : "never");
  }
  for (const auto& [id, job] : job_ledger_.states())
    if (!job.finished())
      reason += "\n  job " + id.text() + " is " + std::string(name_of(job.state)) + " after " +
                std::to_string(job.attempt_count) + " attempts";
  for (const auto& [key, signal] : store().signals())
    if (signal.open) reason += "\n  signal " + key.id + " is not done with";
  throw Violation{reason};
}

void World::demand_life() {
  if (!chaos_.healed()) {
    if (report_.turns < chaos_turns_) return;
    chaos_.heal();
    healed_turn_ = report_.turns;
    healed_at_ = clock_.true_now();
    trace_.line("healed");
    return;
  }
  if (report_.turns - healed_turn_ > healed_turns_max || clock_.true_now() > healed_at_ + liveness_)
    report_stuck();
}

/// Everything has ended: nothing may be left armed or in flight once late answers and repeated
/// timers have been refused.
void World::come_to_rest() {
  chaos_.heal();
  for (int i = 0; store_.in_flight() || process_->timers.size() > 0 ||
                  process_->calls.in_flight() > 0 || process_->callbacks.in_flight() > 0;
       ++i) {
    if (i > 1'000) throw Violation{"timers or calls are left although every run has ended"};
    turn();
    pass_time(next_);
  }
  for (const RunId& id : store_.runs()) ledger_.read_again(*store_.truth(id));
  free_slots();
  for (const auto& [id, job] : job_ledger_.states()) {
    auto of_it = [&](const auto& letter) { return letter.second.letter.job == id; };
    bool badly =
        job.finished() && job.state != job::State::succeeded && job.state != job::State::cancelled;
    const auto& letters = store_.dead_letters();
    if (badly && std::none_of(letters.begin(), letters.end(), of_it))
      throw Violation{"job " + id.text() + " ended badly, and no dead letter tells of it"};
  }
}

/// Slots are leases: when every job has ended, and workers have let go of what was taken from them
/// or have been silent for long enough, none is taken.
void World::free_slots() {
  std::optional<size_t> held;
  for (int i = 0; !held || *held > 0; ++i) {
    if (i > 1'000)
      throw Violation{std::to_string(*held) + " slots are taken although every job has ended"};
    bool asked = process_->host.with_workers([&held](Workers& workers) {
      // What a limit counts as well: the lease of a worker that is gone, until its job knows.
      held = workers.fleet().leases() + workers.fleet().queue().gates().leases_of_account("main");
    });
    if (!asked) throw Violation{"the queue of a small world is full"};
    turn();
    // By the clock alone, which may have been put back: somebody who would have to act next is not
    // played any more.
    clock_.pass(Duration{1'000});
  }
}

void World::play(Workload& workload) {
  workload_ = &workload;
  workload.prepare(*this);
  try {
    come_up();
  } catch (const SimCrash&) {
    die();
  }
  while (!done()) {
    turn();
    demand_life();
    workload.watch(*this);
    pass_time(next_);
  }
  workload_ = nullptr;
  come_to_rest();
  workload.judge(*this);
}

SeedReport World::run(Workload& workload) {
  try {
    play(workload);
  } catch (const Violation& violation) {
    report_.violation = violation.reason;
  } catch (const std::exception& error) {
    report_.violation = std::string("an exception escaped: ") + error.what();
  }
  report_.commits = store_.commits();
  report_.conflicts = store_.conflicts();
  report_.runs = store_.runs().size();
  report_.faults = chaos_.counts();
  return report_;
}

}  // namespace fermata::sim
