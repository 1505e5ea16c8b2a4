#include "base/json.h"
#include "core/run/history.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Scripts that wait for signals in a loop, each time only for a while. None is lost, none is taken
/// twice, and they come in the order in which the run was told of them.
class SignalLoops final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    static constexpr const char* rounds[] = {
        // The wait that lost gives up its place, and what it was assigned goes back.
        "const first = await Task.race({ news: Signal.next('news'), nap: Task.delay(1) })\n"
        "if (first.key == 'news') got.push(first.result)",
        "const first = await Task.race({ nap: Task.delay(1), news: Signal.next('news') }, "
        "{ cancel: true })\nif (first.key == 'news') got.push(first.result)",
        "const one = await Signal.next('news', { timeout: 1, otherwise: null })\n"
        "if (one != null) got.push(one)",
        "const one = Signal.next('news')\n"
        "const first = await Promise.race_kv({ one, nap: Task.delay(0.5) })\n"
        "got.push(first.key == 'one' ? first.value : await one)",
        "const one = Signal.next('news', { match: { n: got.length } })\n"
        "await Promise.race([one, Task.delay(0.5)])\n"
        "got.push(await one)",
    };
    size_t which = chaos.dice().below(std::size(rounds));
    by_number_ = which == 4;
    auto definition = world.define_script(
        "workflow listen(inputs) {\n  const got = []\n  while (got.length < inputs.count) {\n" +
        std::string(rounds[which]) + "\n  }\n  return got\n}");
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      RunId id("listener-" + std::to_string(i));
      int64_t count = chaos.between(1, 20);
      world.send(world.start(id.text(), definition, Value::object({{"count", count}})));
      meddler_.pause(world, id, 2, 20'000);
      for (int64_t n = 0; n < count; ++n) send(world, id, n);
    }
  }

  void watch(World& world) override { meddler_.watch(world); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + ": " + to_json(run.error));
      std::vector<Value> told = told_of(world, id);
      if (by_number_)
        std::sort(told.begin(), told.end(), [](const Value& a, const Value& b) {
          return a.get("n").as_integer() < b.get("n").as_integer();
        });
      Value expected = Value::array(std::move(told));
      expect(run.output == expected,
             id.text() + " got " + to_json(run.output) + " instead of " + to_json(expected));
      world.probe(Probe::script_heard_all);
    }
  }

 private:
  void send(World& world, const RunId& id, int64_t number) {
    Request request;
    std::string signal = "news-" + std::to_string(number);
    request.command = {id, SignalRun{"news", Value::object({{"n", number}}), signal}, "tester"};
    request.after = Duration{world.chaos().between(0, 20'000)};
    world.send(std::move(request));
  }

  static std::vector<Value> told_of(World& world, const RunId& id) {
    std::vector<Value> told;
    for (const HistoryChunk& chunk : world.stored(id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events)
        if (const auto* got = std::get_if<SignalReceived>(&event.body))
          if (got->name == "news") told.push_back(got->payload);
    }
    return told;
  }

  Meddler meddler_;
  bool by_number_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_signal_loops() { return std::make_unique<SignalLoops>(); }

}  // namespace fermata::sim
