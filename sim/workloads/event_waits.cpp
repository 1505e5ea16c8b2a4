#include <algorithm>

#include "core/wait/matching.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/teller.h"

namespace fermata::sim {

namespace {

constexpr int64_t hour_ms = 3'600'000;

/// Signals to contacts against waits that open, time out, are held, paused, cancelled and resumed
/// by hand, while the process dies and the store fails. Nothing that was accepted is lost: a wait
/// that ran into its timeout had heard of no signal in time, and what a signal has reached is what
/// the waits say (W-50, W-54, W-56 to W-58).
class EventWaits final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    contacts_ = chaos.between(1, 3);
    graph::DefinitionRef definition = world.define(graph_of(chaos));
    for (int64_t i = chaos.between(1, 4); i > 0; --i) {
      RunId id("event-run-" + std::to_string(i));
      Request start = world.start(id.text(), definition, Value::object());
      std::get<StartRun>(start.command.body).contact_id = contact(chaos);
      start.after = Duration{chaos.between(0, 30'000)};
      world.send(std::move(start));
      meddler_.pause(world, id, 1, 60'000);
      for (const char* step : {"first", "second"}) Meddler::touch_wait(world, id, step);
      if (chaos.dice().chance(0.15)) Meddler::send(world, id, CancelRun{"enough"});
    }
    for (int64_t i = chaos.between(1, 12); i > 0; --i) tell(world, i);
  }

  void watch(World& world) override {
    meddler_.watch(world);
    teller_.watch(world);
    liberator_.watch(world, [](const Wait&) { return true; });
    store_ = &world.store();
  }

  std::optional<Instant> next() const override { return teller_.next(); }
  bool idle() const override { return store_ && teller_.accepted() && all_closed(*store_); }

  void judge(World& world) override {
    const SimStore& store = world.store();
    teller_.expect_kept(store);
    for (const auto& [id, record] : store.waits()) {
      expect(!is_pending(record.wait.status), "wait " + id + " is pending though its run is over");
      expect_fair_timeout(store, record);
      expect_real_match(store, record);
    }
    for (const auto& [key, signal] : store.signals()) expect_true_reach(store, signal);
  }

 private:
  static Value graph_of(Chaos& chaos) {
    Value first = Value::object(
        {{"wait_type", "for_event"}, {"event_type", "page_visit"}, {"timeout_hours", 1}});
    if (chaos.dice().chance(0.3)) first.set("criteria", Value::object({{"n", 1}}));
    Value second = Value::object({{"wait_type", "for_event"}, {"timeout_hours", 1}});
    Value events = Value::array();
    events.push(Value::object({{"event_type", "page_visit"}}));
    events.push(Value::object({{"event_type", "email_open"}}));
    second.set("events", events);
    if (chaos.dice().chance(0.5)) second.set("mode", "all");
    switch (chaos.dice().below(4)) {
      case 0: second.set("lookback", "run_start"); break;
      case 1: second.set("lookback", "none"); break;
      case 2: second.set("lookback", chaos.between(0, 3)); break;
      default: break;
    }
    GraphBuilder graph;
    graph.node("mail", "http", Value::object({{"url", "http://mail.test"}}))
        .node("first", "wait", first)
        .node("second", "wait", second)
        .node("done", "noop")
        .edge("start", "mail")
        .edge("mail", "first")
        .edge("first", "second")
        .edge("second", "done");
    return graph.document();
  }

  std::string contact(Chaos& chaos) const {
    return "c-" + std::to_string(chaos.between(1, contacts_));
  }

  void tell(World& world, int64_t number) {
    Chaos& chaos = world.chaos();
    Signal signal;
    signal.account = AccountId("main");
    signal.id = "ev-" + std::to_string(number);
    signal.type = chaos.dice().chance(0.6) ? "page_visit" : "email_open";
    signal.contact_id = contact(chaos);
    signal.data = Value::object({{"n", chaos.between(1, 2)}});
    // Now and then at about the instant of a timeout.
    teller_.add(world, std::move(signal),
                Duration{chaos.dice().chance(0.2) ? 2 * hour_ms : 60'000});
  }

  /// What was durable before the timeout was and would have been heard, wins (W-57).
  static void expect_fair_timeout(const SimStore& store, const WaitRecord& record) {
    const Wait& wait = record.wait;
    if (wait.status != WaitStatus::timeout || !wait.listens()) return;
    waits::ListenerPlace place{record.account, record.run, record.contact_id, wait.due};
    for (const Listener& listener : wait.listeners) {
      if (listener.status != ListenerStatus::expired) continue;
      for (const auto& [key, signal] : store.signals()) {
        bool earlier = store.written_at(key) < store.ended_at(wait.id);
        expect(!earlier || !waits::fits(listener, place, signal.signal),
               "wait " + wait.step + " of " + record.run.text() + " timed out though " + key.id +
                   " had come");
      }
    }
  }

  static void expect_real_match(const SimStore& store, const WaitRecord& record) {
    waits::ListenerPlace place{record.account, record.run, record.contact_id, record.wait.due};
    for (const Listener& listener : record.wait.listeners) {
      if (listener.status != ListenerStatus::matched || !listener.window_start) continue;
      auto signal = store.signals().find({record.account, listener.matched_event});
      expect(signal != store.signals().end(),
             "wait " + record.wait.step + " heard a signal that nobody has");
      expect(waits::fits(listener, place, signal->second.signal),
             "wait " + record.wait.step + " heard " + listener.matched_event + " wrongly");
      expect(lists(signal->second, record.wait.id),
             "signal " + listener.matched_event + " does not tell of wait " + record.wait.id);
    }
  }

  static bool lists(const SignalRecord& signal, const std::string& wait) {
    const std::vector<Value>& waits = signal.effects.waits;
    return std::any_of(waits.begin(), waits.end(),
                       [&](const Value& entry) { return entry.get("wait_id") == Value(wait); });
  }

  static void expect_true_reach(const SimStore& store, const SignalRecord& signal) {
    expect(signal.effects.total == signal.effects.waits.size() && signal.reach.total == 0,
           "signal " + signal.signal.id + " miscounts what it reached");
    for (const Value& entry : signal.effects.waits) {
      std::string id(entry.get("wait_id").as_string());
      auto wait = store.waits().find(id);
      expect(wait != store.waits().end(), "signal " + signal.signal.id + " tells of no wait");
      bool heard = std::any_of(
          wait->second.wait.listeners.begin(), wait->second.wait.listeners.end(),
          [&](const Listener& listener) { return listener.matched_event == signal.signal.id; });
      expect(heard, "signal " + signal.signal.id + " tells of a wait that did not hear it");
    }
  }

  int64_t contacts_ = 1;
  Teller teller_;
  Meddler meddler_;
  Liberator liberator_;
  const SimStore* store_ = nullptr;
};

}  // namespace

std::unique_ptr<Workload> make_event_waits() { return std::make_unique<EventWaits>(); }

}  // namespace fermata::sim
