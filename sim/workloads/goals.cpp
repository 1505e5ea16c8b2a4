#include <algorithm>

#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/teller.h"

namespace fermata::sim {

namespace {

constexpr int64_t goal_hour_ms = 3'600'000;

/// Signals that are goals, that waits listen to and that start runs, all at once, against holds,
/// pauses, cancellations, resumes by hand and timeouts. A signal starts a workflow once and ends
/// every run whose goal it is before a wait of that run can hear it, whatever crashes (W-30, W-59).
class Goals final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    contacts_ = chaos.between(1, 3);
    all_ = chaos.dice().chance(0.5);
    single_ = chaos.dice().chance(0.5);
    graph::DefinitionRef nurture = world.define("nurture", graph_of("page_visit"));
    world.define("welcome", graph_of("email_open"));
    set_rules(world);
    for (int64_t i = chaos.between(1, 4); i > 0; --i) {
      RunId id("nurture-" + std::to_string(i));
      Request start = world.start(id.text(), nurture, Value::object());
      auto& body = std::get<StartRun>(start.command.body);
      body.workflow = WorkflowId("nurture");
      body.contact_id = contact(chaos);
      start.after = Duration{chaos.between(0, 30'000)};
      world.send(std::move(start));
      meddler_.pause(world, id, 1, 60'000);
      for (const char* step : {"first", "second"}) Meddler::touch_wait(world, id, step);
      if (chaos.dice().chance(0.1)) Meddler::send(world, id, CancelRun{"enough"});
    }
    for (int64_t i = chaos.between(2, 12); i > 0; --i) tell(world, i);
  }

  void watch(World& world) override {
    Chaos& chaos = world.chaos();
    if (chaos.healed() ? off_ : chaos.dice().chance(0.01)) {
      off_ = !chaos.healed() && !off_;
      set_rules(world);
    }
    meddler_.watch(world);
    teller_.watch(world);
    liberator_.watch(world,
                     [this](const Wait& wait) { return wait.hold != "resumes_off" || !off_; });
    store_ = &world.store();
  }

  std::optional<Instant> next() const override { return teller_.next(); }
  bool idle() const override {
    return store_ && teller_.accepted() && all_closed(*store_) && !off_;
  }

  void judge(World& world) override {
    const SimStore& store = world.store();
    teller_.expect_kept(store);
    for (const auto& [key, signal] : store.signals()) {
      expect_starts(world, signal);
      expect_goals(world, key, signal);
      expect_order(world, signal);
    }
    for (const RunId& id : world.runs()) expect_cause(world, *world.state(id));
    for (const auto& [id, record] : store.waits())
      expect(!is_pending(record.wait.status), "wait " + id + " is pending though its run is over");
  }

 private:
  static Value graph_of(const char* type) {
    auto waits_for = [](const char* event) {
      return Value::object(
          {{"wait_type", "for_event"}, {"event_type", event}, {"timeout_hours", 1}});
    };
    GraphBuilder graph;
    // The second listens to what is also a goal: it must never be what the run goes on by.
    graph.node("first", "wait", waits_for(type))
        .node("second", "wait", waits_for("appointment_booked"))
        .node("done", "noop")
        .edge("start", "first")
        .edge("first", "second")
        .edge("second", "done");
    return graph.document();
  }

  void set_rules(World& world) {
    AccountTable table;
    AccountSettings settings;
    settings.waits.resumes_off = off_;
    table.settings[AccountId("main")] = std::make_shared<AccountSettings>(settings);
    WorkflowRules nurture;
    nurture.account = AccountId("main");
    nurture.workflow = WorkflowId("nurture");
    Value goals = Value::array();
    goals.push(Value::object({{"id", "booked"},
                              {"event_type", "appointment_booked"},
                              {"criteria", Value::object({{"n", 1}})}}));
    goals.push(Value::object({{"id", "paid"}, {"event_type", "payment_received"}}));
    nurture.goals = Value::object({{"mode", all_ ? "all" : "any"}, {"goals", goals}});
    WorkflowRules welcome = nurture;
    welcome.workflow = WorkflowId("welcome");
    // What starts it is a goal of it too, but not for the run that it starts.
    Value own = Value::array();
    own.push(Value::object({{"id", "again"}, {"event_type", "form_submit"}}));
    welcome.goals = Value::object({{"mode", "any"}, {"goals", own}});
    welcome.triggers = Value::array();
    welcome.triggers.push(Value::object(
        {{"event_type", "form_submit"}, {"enrolment", single_ ? "single" : "multiple"}}));
    for (const WorkflowRules& rules : {nurture, welcome})
      table.rules[{rules.account, rules.workflow}] = rules;
    index_rules(table);
    world.accounts() = std::move(table);
  }

  std::string contact(Chaos& chaos) const {
    return "c-" + std::to_string(chaos.between(1, contacts_));
  }

  void tell(World& world, int64_t number) {
    static const char* const types[] = {"page_visit", "email_open", "appointment_booked",
                                        "payment_received", "form_submit"};
    Chaos& chaos = world.chaos();
    Signal signal;
    signal.account = AccountId("main");
    signal.id = "ev-" + std::to_string(number);
    signal.type = types[chaos.dice().below(std::size(types))];
    signal.contact_id = contact(chaos);
    signal.data = Value::object({{"n", chaos.between(1, 2)}});
    teller_.add(world, std::move(signal),
                Duration{chaos.dice().chance(0.2) ? 2 * goal_hour_ms : 60'000});
  }

  static bool is_of(const Value& entry, const RunId& run) {
    return entry.get("execution_id") == Value(run.text());
  }
  static bool tells_of(const std::vector<Value>& list, const RunId& run) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Value& entry) { return is_of(entry, run); });
  }
  static bool started_by(const Run& run, const Signal& signal) {
    return run.trigger_kind == "event" && run.trigger.get("event_id") == Value(signal.id);
  }

  /// Once by each signal that is a trigger; not at all only if somebody takes part already.
  void expect_starts(World& world, const SignalRecord& record) const {
    const Signal& signal = record.signal;
    size_t started = 0;
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      if (!started_by(run, signal)) continue;
      ++started;
      expect(signal.type == "form_submit", signal.id + " starts what it must not start");
      expect(run.contact_id == signal.contact_id, signal.id + " starts a run about another");
      expect(tells_of(record.effects.triggers, id), signal.id + " does not tell of its run");
    }
    expect(started <= 1, signal.id + " starts a workflow twice");
    expect(record.effects.triggers.size() == started,
           signal.id + " tells of a run it did not start");
    if (signal.type != "form_submit" || started == 1) return;
    expect(single_, signal.id + " starts nothing");
    bool takes_part = std::any_of(world.runs().begin(), world.runs().end(), [&](const RunId& id) {
      const Run& run = *world.state(id);
      return run.workflow == WorkflowId("welcome") && run.contact_id == signal.contact_id;
    });
    expect(takes_part, signal.id + " starts nothing though nobody takes part");
  }

  static std::string goal_of(const WorkflowId& workflow, const Signal& signal) {
    if (workflow == WorkflowId("welcome")) return signal.type == "form_submit" ? "again" : "";
    if (signal.type == "payment_received") return "paid";
    bool booked = signal.type == "appointment_booked" && signal.data.get("n") == Value(1);
    return booked ? "booked" : "";
  }

  /// A run that was there before the signal and is there after all its effects has heard of it.
  static void expect_goals(World& world, const SignalKey& key, const SignalRecord& record) {
    const SimStore& store = world.store();
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      std::string goal = goal_of(run.workflow, record.signal);
      bool ours = run.contact_id == record.signal.contact_id && !goal.empty() &&
                  !started_by(run, record.signal);
      if (tells_of(record.effects.goals, id)) {
        expect(ours && run.goals.contains(goal), key.id + " is a goal of a run that has it not");
      }
      SimStore::Span span = store.written(id);
      bool alive = span.first < store.written_at(key) && span.last > store.closed_at(key);
      expect(!ours || !alive || run.goals.contains(goal),
             "run " + id.text() + " missed its goal " + key.id);
    }
  }

  /// Goals, then waits of the runs still alive; a run that it starts does not see it.
  void expect_order(World& world, const SignalRecord& record) const {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      bool hears = tells_of(record.effects.waits, id);
      bool ended =
          tells_of(record.effects.goals, id) && (!all_ || run.workflow != WorkflowId("nurture"));
      expect(!hears || !ended, record.signal.id + " resumes a run that its goal has ended");
      bool own = started_by(run, record.signal);
      expect(!own || (!hears && !tells_of(record.effects.goals, id)),
             record.signal.id + " is seen by the run that it starts");
    }
  }

  static void expect_cause(World& world, const Run& run) {
    bool by_goal = run.exit_reason == goal_achieved;
    if (by_goal) world.probe(Probe::goal_ended_run);
    bool fits = run.status == RunStatus::completed ? run.exit_reason.empty() || by_goal
                                                   : run.status == RunStatus::cancelled && !by_goal;
    expect(fits,
           run.id.text() + " ended as " + std::string(name_of(run.status)) + " " + run.exit_reason);
  }

  int64_t contacts_ = 1;
  bool all_ = false;
  bool single_ = false;
  bool off_ = false;
  Teller teller_;
  Meddler meddler_;
  Liberator liberator_;
  const SimStore* store_ = nullptr;
};

}  // namespace

std::unique_ptr<Workload> make_goals() { return std::make_unique<Goals>(); }

}  // namespace fermata::sim
