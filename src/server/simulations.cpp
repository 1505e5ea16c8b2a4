#include "server/simulations.h"

#include <atomic>
#include <chrono>

#include "server/feed_hub.h"

namespace fermata::server {

namespace {

constexpr size_t lived_max = 8;
/// Progress is told this often at most.
constexpr std::chrono::milliseconds told_every(250);

}  // namespace

struct Simulations::Simulation {
  explicit Simulation(SimulationOrder given) : order(std::move(given)), tally(order.plan) {}
  const SimulationOrder order;
  std::atomic<bool> asked_to_stop{false};
  // Under the mutex of all.
  State state = State::waiting;
  Instant created_at;
  std::optional<Instant> ended_at;
  std::string problem;
  /// Under its own: a trial is counted while others are looked at.
  std::mutex mutex;
  trial::Tally tally;
};

std::string_view Simulations::name_of(State state) {
  static constexpr std::string_view names[] = {"waiting", "running", "done", "stopped", "failed"};
  return names[static_cast<size_t>(state)];
}

Simulations::~Simulations() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [id, simulation] : all_) simulation->asked_to_stop = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Outcome<Value> Simulations::begin(SimulationOrder order) {
  auto simulation = std::make_shared<Simulation>(std::move(order));
  std::lock_guard lock(mutex_);
  size_t waiting = 0;
  for (const Ref& other : waiting_)
    waiting += other->order.account == simulation->order.account ? 1 : 0;
  if (waiting >= waiting_max)
    return fail(ErrorCode::rate_limited, std::to_string(waiting_max) +
                                             " simulations wait for their turn; let one end or "
                                             "stop it first.");
  simulation->created_at = clock_.now();
  make_room();
  all_[simulation->order.id] = simulation;
  waiting_.push_back(simulation);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
  return shown(*simulation);
}

/// The oldest that has ended makes room for the next.
void Simulations::make_room() {
  if (all_.size() < kept_max) return;
  for (auto it = all_.begin(); it != all_.end(); ++it) {
    if (it->second->state <= State::running) continue;
    all_.erase(it);
    return;
  }
}

void Simulations::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Ref simulation = std::move(waiting_.front());
    waiting_.pop_front();
    simulation->state = State::running;
    lock.unlock();
    carry_out(simulation);
    lock.lock();
    simulation->ended_at = clock_.now();
    State state = simulation->state;
    lock.unlock();
    tell(simulation, state, simulation->order.seeds);
    lock.lock();
  }
}

void Simulations::carry_out(const Ref& simulation) {
  using std::chrono::steady_clock;
  auto until = steady_clock::now() + std::chrono::milliseconds(run_ms_max);
  const SimulationOrder& order = simulation->order;
  State end = State::done;
  std::string problem;
  auto tell_after = steady_clock::now();
  for (uint64_t i = 0; i < order.seeds && end == State::done; ++i) {
    if (simulation->asked_to_stop) {
      end = State::stopped;
    } else if (steady_clock::now() >= until) {
      end = State::stopped;
      problem = "It took longer than " + std::to_string(run_ms_max / 60'000) + " minutes.";
    } else {
      if (steady_clock::now() >= tell_after) {
        tell(simulation, State::running, i);
        tell_after = steady_clock::now() + told_every;
      }
      std::lock_guard counting(simulation->mutex);
      auto counted = simulation->tally.count(order.first_seed + i);
      if (counted) continue;
      end = State::failed;
      problem = counted.error().message;
    }
  }
  std::lock_guard lock(mutex_);
  simulation->state = end;
  simulation->problem = std::move(problem);
}

void Simulations::tell(const Ref& simulation, State state, uint64_t lived) {
  const SimulationOrder& order = simulation->order;
  Change change{order.account, "simulation", order.id, lived, clock_.now()};
  change.summary =
      Value::object({{"state", name_of(state)}, {"seeds", order.seeds}, {"lived", lived}});
  hub_.changed(std::move(change));
}

Value Simulations::shown(const Simulation& simulation) {
  const SimulationOrder& order = simulation.order;
  return Value::object(
      {{"id", order.id},
       {"name", order.name},
       {"state", name_of(simulation.state)},
       {"workflow_id", order.plan.version > 0 ? Value(order.plan.workflow.text()) : Value()},
       {"version", order.plan.version > 0 ? Value(order.plan.version) : Value()},
       {"hash", order.plan.definition->hash.text()},
       {"seeds", order.seeds},
       {"first_seed", order.first_seed},
       {"start_at", to_rfc3339(order.plan.start)},
       {"horizon_ms", order.plan.horizon.ms},
       {"created_by", order.actor},
       {"created_at", to_rfc3339(simulation.created_at)},
       {"ended_at", simulation.ended_at ? Value(to_rfc3339(*simulation.ended_at)) : Value()},
       {"problem", simulation.problem.empty() ? Value() : Value(simulation.problem)}});
}

Value Simulations::list(const AccountId& account) const {
  std::lock_guard lock(mutex_);
  Value items = Value::array();
  for (auto it = all_.rbegin(); it != all_.rend(); ++it)
    if (it->second->order.account == account) items.push(shown(*it->second));
  return items;
}

Outcome<Simulations::Ref> Simulations::own(const AccountId& account, const std::string& id) const {
  std::lock_guard lock(mutex_);
  auto found = all_.find(id);
  if (found == all_.end() || found->second->order.account != account)
    return fail(ErrorCode::value_not_found,
                "There is no simulation `" + id + "`; they are forgotten when the server stops.");
  return found->second;
}

Outcome<Value> Simulations::find(const AccountId& account, const std::string& id) const {
  FERMATA_TRY(simulation, own(account, id));
  Value result;
  {
    std::lock_guard counting(simulation->mutex);
    result = simulation->tally.value();
  }
  std::lock_guard lock(mutex_);
  Value out = shown(*simulation);
  out.set("request", simulation->order.request);
  out.set("definition", simulation->order.document);
  out.set("result", std::move(result));
  return out;
}

Outcome<Value> Simulations::stop(const AccountId& account, const std::string& id) {
  FERMATA_TRY(simulation, own(account, id));
  std::lock_guard lock(mutex_);
  simulation->asked_to_stop = true;
  std::erase(waiting_, simulation);
  if (simulation->state == State::waiting) {
    simulation->state = State::stopped;
    simulation->ended_at = clock_.now();
  }
  return shown(*simulation);
}

Outcome<void> Simulations::remove(const AccountId& account, const std::string& id) {
  FERMATA_TRY(stopped, stop(account, id));
  std::lock_guard lock(mutex_);
  all_.erase(id);
  return {};
}

Outcome<std::shared_ptr<const Simulations::Lived>> Simulations::live(const AccountId& account,
                                                                     const std::string& id,
                                                                     uint64_t seed) {
  FERMATA_TRY(simulation, own(account, id));
  const SimulationOrder& order = simulation->order;
  if (seed < order.first_seed || seed - order.first_seed >= order.seeds)
    return fail(ErrorCode::value_not_found,
                "The simulation has the seeds " + std::to_string(order.first_seed) + " to " +
                    std::to_string(order.first_seed + order.seeds - 1) + ".");
  std::string key = id + "/" + std::to_string(seed);
  {
    std::lock_guard lock(mutex_);
    for (auto it = lived_.begin(); it != lived_.end(); ++it) {
      if (it->first != key) continue;
      lived_.splice(lived_.begin(), lived_, it);
      return it->second;
    }
  }
  trial::Trial trial(order.plan, seed);
  FERMATA_TRY_VOID(trial.live());
  auto lived = std::make_shared<Lived>();
  lived->run.version = 1;
  lived->run.summary = summarize(trial.run());
  lived->run.history = trial.history();
  lived->definition = order.plan.definition;
  std::lock_guard lock(mutex_);
  lived_.emplace_front(std::move(key), lived);
  if (lived_.size() > lived_max) lived_.pop_back();
  return std::shared_ptr<const Lived>(std::move(lived));
}

}  // namespace fermata::server
