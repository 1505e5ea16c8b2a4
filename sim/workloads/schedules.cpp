#include <list>

#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Schedules that fire every few seconds while the process dies, clocks jump and the store fails,
/// with timers that nobody sent and triggers that are repeated. The ledger counts every occurrence;
/// here it is seen to that the runs are there, once each, and that every end was heard.
class Schedules final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    schedule::ScheduleLimits& limits = world.settings().schedules;
    limits.late_ms_max = chaos.between(1, 3) * 20'000;
    limits.catch_up_max = static_cast<uint64_t>(chaos.between(0, 6));
    limits.queue_max = static_cast<uint64_t>(chaos.between(1, 4));
    limits.live_max = static_cast<uint64_t>(chaos.between(2, 12));
    limits.occurrences_per_commit = static_cast<uint64_t>(chaos.between(1, 40));
    world.settings().schedule_checkpoint_events = static_cast<uint64_t>(chaos.between(1, 30));
    world.settings().cached_schedules_max = static_cast<size_t>(chaos.between(0, 2));
    GraphBuilder graph;
    graph.node("w", "wait", Value::object({{"amount", chaos.between(0, 20)}})).edge("start", "w");
    world.define("tick", graph.document());
    for (int64_t i = chaos.between(1, 3); i > 0; --i) create(world, "s" + std::to_string(i));
  }

  void watch(World& world) override {
    Chaos& chaos = world.chaos();
    if (chaos.healed() && !stopping_) stop(world);
    for (const schedule::Key& key : keys_) {
      if (stopping_) break;
      if (chaos.dice().chance(0.02)) order(world, key, schedule::TriggerSchedule{"k1"});
      if (chaos.dice().chance(0.01)) order(world, key, schedule::PauseSchedule{});
      if (chaos.dice().chance(0.02)) order(world, key, schedule::ResumeSchedule{});
      if (chaos.dice().chance(0.05)) wake_wrongly(world, key);
    }
    for (Order& order : orders_) send(world, order);
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next;
    for (const Order& order : orders_)
      if (!order.done && (!next || order.at < *next)) next = order.at;
    return next;
  }

  bool idle() const override {
    for (const Order& order : orders_)
      if (!order.done) return false;
    return stopping_;
  }

  void judge(World& world) override {
    for (const auto& [key, watched] : world.schedules()) {
      const std::string& name = key.id.text();
      expect(watched.decided.empty(), name + " decided what it has not counted");
      expect(watched.state.live.empty(), name + " still waits for a run that is over");
      for (const auto& [run, heard] : watched.started) {
        const Run* state = world.state(run);
        expect(state != nullptr, name + " has started run " + run.text() + ", which is not there");
        expect(heard, name + " has not heard of the end of run " + run.text());
        expect(
            state->trigger_kind == "schedule" && state->trigger.get("schedule_id") == Value(name),
            "run " + run.text() + " does not know what started it");
      }
      note(world, watched);
    }
    size_t started = 0;
    for (const auto& [key, watched] : world.schedules()) started += watched.started.size();
    expect(world.runs().size() == started, "runs came from nowhere");
  }

 private:
  struct Order {
    schedule::Command command;
    Instant at;
    bool done = false;
  };

  void create(World& world, const std::string& id) {
    Chaos& chaos = world.chaos();
    schedule::Spec spec;
    spec.workflow = WorkflowId("tick");
    if (chaos.dice().chance(0.5)) {
      spec.every_ms = chaos.between(1, 20) * 1'000;
    } else {
      spec.cron = chaos.dice().chance(0.5) ? "*/7 * * * * *" : "0,20,25 * * * * *";
    }
    spec.overlap = static_cast<schedule::Overlap>(chaos.dice().below(4));
    spec.catch_up = static_cast<schedule::CatchUp>(chaos.dice().below(3));
    spec.catch_up_ms = chaos.between(0, 600) * 1'000;
    spec.jitter_ms = chaos.between(0, 2) * 1'500;
    if (chaos.dice().chance(0.3)) spec.max_runs = static_cast<uint64_t>(chaos.between(1, 20));
    keys_.push_back({AccountId("main"), ScheduleId(id)});
    orders_.push_back(
        {{keys_.back(), schedule::CreateSchedule{std::move(spec), false, "hash"}, "tester"},
         world.clock().true_now()});
  }

  void order(World& world, const schedule::Key& key, schedule::CommandBody body) {
    if (world.schedules().contains(key))
      orders_.push_back({{key, std::move(body), "tester"}, world.clock().true_now()});
  }

  /// So that everything can end: no occurrence comes any more.
  void stop(World& world) {
    for (const schedule::Key& key : keys_)
      if (!world.schedules().contains(key)) return;
    stopping_ = true;
    // What was asked for before must not come after it.
    orders_.clear();
    for (const schedule::Key& key : keys_)
      orders_.push_back({{key, schedule::PauseSchedule{}, "stopper"}, world.clock().true_now()});
  }

  void send(World& world, Order& order) {
    if (order.done || order.at > world.clock().true_now()) return;
    order.at = world.clock().true_now() + Duration{world.chaos().between(500, 5'000)};
    // A lost answer must not reach an order that is gone.
    bool taken = world.schedule_intake().submit_schedule(
        order.command, [this, &world, command = order.command](Outcome<ScheduleTold> told) {
          answered(world, command, told);
        });
    expect(taken, "the queue of a small world is full");
  }

  void answered(World& world, const schedule::Command& command, const Outcome<ScheduleTold>& told) {
    if (!told) {
      ErrorCode code = told.error().code;
      bool busy = code == ErrorCode::store_unavailable || code == ErrorCode::outcome_unknown ||
                  code == ErrorCode::queue_full;
      expect(busy, "an order to a schedule is refused: " + told.error().message);
      return;
    }
    expect(world.schedules().contains(command.schedule),
           "a schedule was acknowledged and is not stored");
    if (std::holds_alternative<schedule::TriggerSchedule>(command.body) && !told->changed)
      world.probe(Probe::schedule_trigger_known);
    for (Order& order : orders_)
      if (order.command.schedule == command.schedule && order.command.actor == command.actor &&
          order.command.body.index() == command.body.index())
        order.done = true;
  }

  /// A timer that nobody has armed, most often for another occurrence than the expected one.
  void wake_wrongly(World& world, const schedule::Key& key) {
    Instant at = world.clock().true_now() + Duration{world.chaos().between(-50'000, 50'000)};
    bool taken = world.schedule_intake().submit_schedule(
        {key, schedule::WakeSchedule{at}, "tester"}, [](const Outcome<ScheduleTold>&) {});
    expect(taken, "the queue of a small world is full");
  }

  static void note(World& world, const ScheduleLedger::Watched& watched) {
    if (!watched.started.empty()) world.probe(Probe::schedule_fired);
    if (watched.skipped.contains("missed")) world.probe(Probe::schedule_missed);
    if (watched.skipped.contains("overlap")) world.probe(Probe::schedule_overlap_skipped);
    if (watched.queued > 0) world.probe(Probe::schedule_queued);
    if (watched.cancelled > 0) world.probe(Probe::schedule_previous_cancelled);
  }

  std::vector<schedule::Key> keys_;
  std::list<Order> orders_;
  bool stopping_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_schedules() { return std::make_unique<Schedules>(); }

}  // namespace fermata::sim
