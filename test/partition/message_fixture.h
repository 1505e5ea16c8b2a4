#pragma once
#include <set>

#include "adapters/memory/memory_bus.h"
#include "base/random.h"
#include "front/rune/announcer.h"
#include "front/rune/interpreter.h"
#include "host/receiver.h"
#include "host/relay.h"
#include "test/partition/waiting_store.h"

namespace fermata {

/// A bus that breaks as its seed says: confirms are lost though the broker has the message,
/// deliveries come twice.
class BrokenBus final : public Bus {
 public:
  BrokenBus(MemoryBus& inner, uint64_t seed) : inner_(inner), random_(seed) {}
  void publish(std::vector<BusMessage> batch) override {
    for (BusMessage& message : batch) {
      // Once one is lost the connection is gone, and with it all that follow.
      if (!broken_ && random_.chance(chance)) broken_ = true;
      bool arrives = !broken_ || (random_.chance(0.5) && !std::exchange(swallows_, true));
      uint64_t ticket = message.ticket;
      if (arrives) inner_.publish({std::move(message)});
      if (broken_) lost_.push_back({ticket, BusConfirm::Outcome::lost});
      if (!arrives) swallows_ = true;
    }
  }
  std::vector<BusConfirm> confirms() override {
    std::vector<BusConfirm> out;
    for (const BusConfirm& confirm : inner_.confirms()) {
      bool lost = false;
      for (const BusConfirm& other : lost_) lost = lost || other.ticket == confirm.ticket;
      if (!lost) out.push_back(confirm);
    }
    out.insert(out.end(), lost_.begin(), lost_.end());
    losses += lost_.size();
    lost_.clear();
    broken_ = swallows_ = false;
    return out;
  }
  size_t room() const override { return inner_.room(); }
  std::vector<BusDelivery> pull(size_t most) override {
    if (random_.chance(chance)) inner_.rest(Duration{0});
    return inner_.pull(most);
  }
  void settle(uint64_t id, BusSettlement settlement) override {
    // The acknowledgement is lost with the connection.
    if (random_.chance(chance)) return inner_.rest(Duration{0});
    inner_.settle(id, std::move(settlement));
  }
  void rest(Duration pause) override { inner_.rest(pause); }
  BusHealth health() const override { return inner_.health(); }

  double chance = 0;
  uint64_t losses = 0;

 private:
  MemoryBus& inner_;
  Random random_;
  std::vector<BusConfirm> lost_;
  bool broken_ = false;
  bool swallows_ = false;  ///< the one that reached the broker unconfirmed was the last
};

class Messages : public HostTest {
 protected:
  Messages() { begin({AccountId("acme"), false}, 1); }
  void begin(rune::Options options, uint64_t seed) {
    receiver.reset();
    relay.reset();
    own_host.reset();
    front_definitions = std::make_unique<front::Definitions>(store.memory);
    vault = std::make_unique<front::Vault>(
        store.memory, front::given_keys(*SealingKeys::read(std::string(64, '5'))));
    broken = std::make_unique<BrokenBus>(memory_bus, seed);
    announcer = std::make_unique<rune::RuneAnnouncer>(options, [] {});
    interpreter = std::make_unique<rune::RuneInterpreter>(
        rune::RuneInterpreter::Parts{store.memory, store.memory, store.memory, *front_definitions,
                                     *vault, clock},
        options, graph::DefinitionLimits{});
    HostPorts ports{store, timers, calls, clock, entropy, told, by_hash};
    ports.announcer = announcer.get();
    ports.outbox = &store.memory;
    by_hash.definitions = front_definitions.get();
    own_host = std::make_unique<Host>(ports, settings);
    relay = std::make_unique<Relay>(store.memory, *broken, rune::lane);
    receiver =
        std::make_unique<Receiver>(*broken, *interpreter, *own_host, store.memory, options.account);
  }
  /// Everybody takes turns until nothing moves.
  void settle_all() {
    for (int quiet = 0; quiet < 3;) {
      uint64_t before = own_host->counters().commits + relay->published() + broken->losses;
      bool more = receiver->turn(clock.now()).at_once;
      while (own_host->turn().at_once) more = true;
      more = relay->turn(clock.now()).at_once || more;
      bool moved = before != own_host->counters().commits + relay->published() + broken->losses;
      quiet = more || moved ? 0 : quiet + 1;
    }
  }
  static std::string start_message(const std::string& run, const std::string& at = "t",
                                   const std::string& context = "{}") {
    return R"({"workflow_id":"wf_1","execution_id":")" + run + R"(","current_node":")" + at +
           R"(","accumulated_context":)" + context + R"(,"workflow_definition":)" + definition +
           "}";
  }
  void send(const std::string& queue, const std::string& body, const std::string& id = "") {
    memory_bus.send(queue, {0, queue, id, body});
  }
  std::vector<Value> taken(const std::string& queue) {
    std::vector<Value> out;
    for (const BusMessage& message : memory_bus.take(queue)) {
      ids.push_back(message.id);
      out.push_back(*parse_json(message.body));
    }
    return out;
  }
  RunStatus status_of(const std::string& run) {
    auto found = store.memory.summary(RunId(run));
    return found && *found ? (*found)->status : RunStatus::cancelled;
  }
  bool exists(const std::string& run) {
    auto found = store.memory.summary(RunId(run));
    return found && *found;
  }
  std::vector<DeadLetterEntry> letters() {
    return store.memory.dead_letters({.account = AccountId("acme")}, 1'000, "")->items;
  }

  struct ByHash final : Definitions {
    Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) override {
      return definitions->load(hash);
    }
    Outcome<FoundWorkflow> workflow(const AccountId&, const WorkflowId&, uint32_t) override {
      return fail(ErrorCode::workflow_not_found, "none");
    }
    front::Definitions* definitions = nullptr;
  };
  inline static std::string definition = R"({"nodes":[
      {"id":"t","name":"Start","type":"manual","trigger":true},
      {"id":"e","name":"Note","type":"edit",
       "parameters":{"assignments":[{"name":"seen","value":"yes"}]}},
      {"id":"w","name":"Pause","type":"wait","parameters":{"amount":1,"unit":"hours"}},
      {"id":"n","name":"Done","type":"noop"}],
     "edges":[{"id":"1","src":"t","dst":"e"},{"id":"2","src":"e","dst":"w"},
              {"id":"3","src":"w","dst":"n"}]})";
  MemoryBus memory_bus{clock};
  ByHash by_hash;
  std::unique_ptr<front::Definitions> front_definitions;
  std::unique_ptr<front::Vault> vault;
  std::unique_ptr<BrokenBus> broken;
  std::unique_ptr<rune::RuneAnnouncer> announcer;
  std::unique_ptr<rune::RuneInterpreter> interpreter;
  std::unique_ptr<Host> own_host;
  std::unique_ptr<Relay> relay;
  std::unique_ptr<Receiver> receiver;
  std::vector<std::string> ids;  ///< of messages that were taken
};

}  // namespace fermata
