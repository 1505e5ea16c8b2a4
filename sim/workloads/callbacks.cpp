#include "base/json.h"
#include "core/run/script_definition.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Another engine that waits here: it registers executions, opens a first wait for each and answers
/// every callback with the next one, until it completes. Callbacks are lost, repeated, late and
/// refused, and the process dies at any moment. Each end must be told at least once under one key,
/// in order within its execution, and an answer must open one wait, however often it is given.
class Callbacks final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    world.let_calls_fail();
    world.settings().callbacks.in_flight_per_endpoint_max =
        static_cast<size_t>(chaos.between(1, 4));
    world.settings().callbacks.in_flight_max = static_cast<size_t>(chaos.between(1, 8));
    world.allow(Duration{int64_t{24} * 3'600'000});
    steps_ = chaos.between(1, 4);
    errs_ = chaos.dice().chance(0.3);
    flaky_ = chaos.between(0, 3);
    world.receive_callbacks([this](const CallRequest& request) { return answer(request); });
    graph::DefinitionRef definition = make_external_definition(Value::object(
        {{"language", "external"}, {"callback", Value::object({{"url", "http://sim/callback"}})}}));
    world.add_definition(definition);
    for (int64_t i = chaos.between(1, 5); i > 0; --i) begin(world, definition, i);
  }

  bool idle() const override { return world_ == nullptr || all_told(); }

  void watch(World& world) override { world_ = &world; }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run* run = world.state(id);
      uint64_t told = 0;
      for (const auto& [key, delivery] : world.deliveries()) {
        if (delivery.run != id) continue;
        ++told;
        const Heard& heard = heard_[delivery.key];
        expect(heard.times > 0, "an end of " + id.text() + " was told to nobody");
        expect(heard.taken == (delivery.state == DeliveryState::done),
               "delivery " + delivery.id + " does not say what became of it");
      }
      expect(told == run->endings, "not every end of " + id.text() + " left a delivery");
      for (const auto& [step, times] : run->waits_opened)
        expect(times == 1, "step " + step + " of " + id.text() + " was opened twice");
      if (run->status == RunStatus::completed && !errs_)
        expect(run->waits_opened.size() == static_cast<size_t>(steps_),
               "not every answer opened a wait in " + id.text());
    }
  }

 private:
  struct Heard {
    uint64_t times = 0;
    bool taken = false;
    std::string body;
  };

  void begin(World& world, const graph::DefinitionRef& definition, int64_t number) {
    Chaos& chaos = world.chaos();
    std::string run = "ext" + std::to_string(number);
    Request start = world.start(run, definition, Value());
    std::get<StartRun>(start.command.body).trigger_kind = "external";
    world.send(std::move(start));
    Request open;
    OpenWait wait{step(1), "fixed_time", config(chaos.between(1, 5)), {}, {}, {}, "first"};
    open.command = {RunId(run), std::move(wait), "tester"};
    open.after = Duration{chaos.between(0, 2'000)};
    world.send(std::move(open));
    if (!chaos.dice().chance(0.3)) return;
    Request cancel;
    cancel.command = {RunId(run), CancelRun{"enough"}, "tester"};
    cancel.after = Duration{chaos.between(60'000, 900'000)};
    world.send(std::move(cancel));
  }

  static std::string step(int64_t number) { return "s" + std::to_string(number); }
  static Value config(int64_t minutes) {
    return Value::object({{"duration", minutes}, {"unit", "minutes"}});
  }

  /// The other engine. It must recognise what it was told before.
  CallAnswer answer(const CallRequest& request) {
    Value body = *parse_json(request.body);
    std::string key;
    for (const auto& [name, value] : request.headers)
      if (name == "Idempotency-Key") key = value;
    Heard& heard = heard_[key];
    expect(heard.body.empty() || heard.body == request.body,
           "one idempotency key was used for two callbacks");
    heard.body = request.body;
    ++heard.times;
    int64_t sequence = body.get("sequence").as_integer();
    int64_t& last = last_[std::string(body.get("execution_id").as_string())];
    expect(sequence >= last, "callbacks of an execution come out of order");
    last = sequence;
    CallAnswer out;
    out.status = heard.times <= static_cast<uint64_t>(flaky_) ? 503 : 200;
    if (out.status != 200) return out;
    heard.taken = true;
    out.body = to_json(wish_after(body));
    return out;
  }

  Value wish_after(const Value& body) const {
    Value complete = Value::object({{"complete", Value::object({{"output", 1}})}});
    if (body.get("type") != Value("wait.resumed")) return complete;
    std::string at(body.get("step_id").as_string());
    int64_t number = std::stoll(at.substr(1));
    if (number >= steps_) return complete;
    // One that cannot be opened is told as well.
    int64_t minutes = errs_ && number == 1 ? 99 : number;
    return Value::object({{"next", Value::object({{"step_id", step(number + 1)},
                                                  {"wait_type", "fixed_time"},
                                                  {"config", config(minutes)}})}});
  }

  bool all_told() const {
    for (const auto& [id, delivery] : world_->deliveries())
      if (delivery.state == DeliveryState::pending) return false;
    return true;
  }

  int64_t steps_ = 1;
  bool errs_ = false;
  int64_t flaky_ = 0;
  std::map<std::string, Heard> heard_;
  std::map<std::string, int64_t> last_;
  World* world_ = nullptr;
};

}  // namespace

std::unique_ptr<Workload> make_callbacks() { return std::make_unique<Callbacks>(); }

}  // namespace fermata::sim
