#include <algorithm>
#include <list>

#include "base/uuid.h"
#include "core/wait/matching.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

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
      for (const char* step : {"first", "second"}) meddle(world, id, step);
      if (chaos.dice().chance(0.15)) send(world, id, CancelRun{"enough"});
    }
    for (int64_t i = chaos.between(1, 12); i > 0; --i) tell(world, i);
  }

  void watch(World& world) override {
    meddler_.watch(world);
    for (Telling& telling : tellings_) submit(world, telling);
    let_go(world);
    store_ = &world.store();
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next;
    for (const Telling& telling : tellings_)
      if (!telling.accepted && (!next || telling.at < *next)) next = telling.at;
    return next;
  }

  bool idle() const override {
    bool accepted = std::all_of(tellings_.begin(), tellings_.end(),
                                [](const Telling& telling) { return telling.accepted; });
    if (!accepted || !store_) return false;
    return std::none_of(store_->signals().begin(), store_->signals().end(),
                        [](const auto& entry) { return entry.second.open; });
  }

  void judge(World& world) override {
    const SimStore& store = world.store();
    bool noted = surely_noted(world);
    for (const Telling& telling : tellings_)
      expect(store.signals().contains({telling.signal.account, telling.signal.id}),
             "signal " + telling.signal.id + " was accepted and is not there");
    for (const auto& [id, record] : store.waits()) {
      expect(!is_pending(record.wait.status), "wait " + id + " is pending though its run is over");
      expect_fair_timeout(store, record);
      expect_real_match(store, record, noted);
    }
    for (const auto& [key, signal] : store.signals()) expect_true_reach(store, signal);
  }

 private:
  struct Telling {
    Signal signal;
    Instant at;  ///< when it is sent (again), in true time
    bool accepted = false;
  };

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
      case 0:
        second.set("lookback", "run_start");
        break;
      case 1:
        second.set("lookback", "none");
        break;
      case 2:
        second.set("lookback", chaos.between(0, 3));
        break;
      default:
        break;
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
    Telling telling;
    telling.signal.account = AccountId("main");
    telling.signal.id = "ev-" + std::to_string(number);
    telling.signal.type = chaos.dice().chance(0.6) ? "page_visit" : "email_open";
    telling.signal.contact_id = contact(chaos);
    telling.signal.data = Value::object({{"n", chaos.between(1, 2)}});
    int64_t most = chaos.dice().chance(0.2) ? 2 * hour_ms : 60'000;
    telling.at = world.clock().true_now() + Duration{chaos.between(0, most)};
    // Now and then at the very instant of a timeout.
    tellings_.push_back(std::move(telling));
  }

  /// Until it is accepted; sometimes once more.
  void submit(World& world, Telling& telling) {
    Chaos& chaos = world.chaos();
    bool again = telling.accepted && !chaos.healed() && chaos.dice().chance(0.01);
    if (!again && (telling.accepted || telling.at > world.clock().true_now())) return;
    telling.at = world.clock().true_now() + Duration{chaos.between(500, 8'000)};
    std::vector<IncomingSignal> batch;
    batch.push_back({telling.signal, "tester", Duration{chaos.between(0, 2'000)},
                     [&telling](const Outcome<SignalTold>& told) {
                       if (told) telling.accepted = true;
                     }});
    (void)world.signal_intake().submit_signals(std::move(batch));
  }

  void meddle(World& world, const RunId& id, const std::string& step) {
    Chaos& chaos = world.chaos();
    std::string wait = uuid_v5(id.text() + "/" + step + "#1");
    if (chaos.dice().chance(0.15)) send(world, id, ResumeWait{wait, Value(7), "", "", false});
    if (chaos.dice().chance(0.15)) send(world, id, CancelWait{wait, "unwanted"});
    if (chaos.dice().chance(0.3)) send(world, id, HoldWaits{wait, "operator"});
    if (chaos.dice().chance(0.3)) send(world, id, ReleaseWaits{wait, "operator"});
  }

  void send(World& world, const RunId& id, CommandBody body) {
    Request request;
    request.command = {id, std::move(body), "tester"};
    request.after = Duration{world.chaos().between(0, 60'000)};
    world.send(std::move(request));
  }

  /// What is held or cancelled is let go in the end.
  void let_go(World& world) {
    for (const RunId& id : world.runs()) {
      const Run* run = world.state(id);
      if (run->paused()) continue;
      for (const auto& [key, wait] : run->waits) {
        bool held = !wait.hold.empty();
        if ((is_pending(wait.status) && !held) || !freeing_.insert(wait.id).second) continue;
        Request request;
        request.command = {id, ReleaseWaits{wait.id, ""}, "tester"};
        if (!held) request.command.body = ResumeWait{wait.id, {}, "", "", false};
        request.after = Duration{world.chaos().between(0, 90'000)};
        request.answered = [this, wait_id = wait.id](const Outcome<RunSummary>&) {
          freeing_.erase(wait_id);
        };
        world.send(std::move(request));
      }
    }
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

  /// Whether every signal must tell of the waits it reached. What a crash or an unreadable row kept
  /// from being noted is found again where it can be, but not always: the list is for people
  /// (W-24).
  static bool surely_noted(World& world) {
    const FaultCounts& counts = world.chaos().counts();
    for (Fault fault : {Fault::crash, Fault::crash_before_commit, Fault::crash_within_commit,
                        Fault::crash_after_commit, Fault::load_unavailable})
      if (counts[static_cast<size_t>(fault)] > 0) return false;
    return true;
  }

  static void expect_real_match(const SimStore& store, const WaitRecord& record, bool noted) {
    waits::ListenerPlace place{record.account, record.run, record.contact_id, record.wait.due};
    for (const Listener& listener : record.wait.listeners) {
      if (listener.status != ListenerStatus::matched || !listener.window_start) continue;
      auto signal = store.signals().find({record.account, listener.matched_event});
      expect(signal != store.signals().end(),
             "wait " + record.wait.step + " heard a signal that nobody has");
      expect(waits::fits(listener, place, signal->second.signal),
             "wait " + record.wait.step + " heard " + listener.matched_event + " wrongly");
      expect(!noted || lists(signal->second, record.wait.id),
             "signal " + listener.matched_event + " does not tell of wait " + record.wait.id);
    }
  }

  static bool lists(const SignalRecord& signal, const std::string& wait) {
    return std::any_of(signal.reach.waits.begin(), signal.reach.waits.end(),
                       [&](const Value& entry) { return entry.get("wait_id") == Value(wait); });
  }

  static void expect_true_reach(const SimStore& store, const SignalRecord& signal) {
    expect(signal.reach.total == signal.reach.waits.size(),
           "signal " + signal.signal.id + " miscounts what it reached");
    for (const Value& entry : signal.reach.waits) {
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
  std::list<Telling> tellings_;
  Meddler meddler_;
  std::set<std::string> freeing_;
  const SimStore* store_ = nullptr;
};

}  // namespace

std::unique_ptr<Workload> make_event_waits() { return std::make_unique<EventWaits>(); }

}  // namespace fermata::sim
