#include <list>

#include "base/json.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// Contacts change, opt out and in, are deleted and come again while runs about them wait, the
/// workflow is switched off and on and resumes are held. What must hold at every write is the
/// ledger's (contact_ledger.h); here it is seen to that every run ends for a reason that was given.
class ContactChanges final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    GraphBuilder graph;
    graph
        .node("until", "wait",
              Value::object({{"wait_type", "until_date"},
                             {"contact_field", "date"},
                             {"follow_field", true},
                             {"missing_action", "continue"}}))
        .node("nap", "wait", wait_ms(chaos.between(1, 20'000)))
        .node("after", "noop")
        .edge("start", "until")
        .edge("until", "nap")
        .edge("nap", "after");
    definition_ = world.define(graph.document());
    for (int64_t i = chaos.between(1, 3); i > 0; --i)
      keys_.push_back({AccountId("main"), "c" + std::to_string(i)});
    for (const ContactKey& key : keys_) tell(world, key, changed(world));
    for (int64_t i = chaos.between(1, 6); i > 0; --i) start(world);
  }

  void watch(World& world) override {
    Chaos& chaos = world.chaos();
    if (chaos.healed()) {
      quiet_ = true;
      world.accounts() = {};
    }
    const ContactKey& key = keys_[chaos.dice().below(keys_.size())];
    if (!quiet_) {
      if (chaos.dice().chance(0.1)) start(world);
      if (chaos.dice().chance(0.15)) tell(world, key, changed(world));
      if (chaos.dice().chance(0.04))
        tell(world, key, contact::OptOut{drawn_workflow(chaos), "STOP"});
      if (chaos.dice().chance(0.06)) tell(world, key, contact::OptIn{});
      if (chaos.dice().chance(0.03)) tell(world, key, contact::DeleteContact{"asked"});
      if (chaos.dice().chance(0.03))
        tell(world, key, contact::RemoveFromWorkflow{WorkflowId("w"), "moved"});
      if (chaos.dice().chance(0.05)) turn_switches(world);
      if (chaos.dice().chance(0.04) && runs_ > 0) achieve(world);
    }
    let_go(world);
    for (Order& order : orders_) send(world, order);
    std::erase_if(orders_, [](const Order& order) { return order.done; });
  }

  std::optional<Instant> next() const override {
    std::optional<Instant> next;
    for (const Order& order : orders_)
      if (!next || order.at < *next) next = order.at;
    return next;
  }
  bool idle() const override { return quiet_ && orders_.empty(); }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      const std::string& reason = run.exit_reason;
      bool told = reason == "contact_opted_out" || reason == "contact_deleted" ||
                  reason == "manual_removal" || reason == "workflow_deactivated";
      bool by_goal = reason == goal_achieved;
      if (by_goal) world.probe(Probe::goal_ended_run);
      bool fits = run.status == RunStatus::completed ? reason.empty() || by_goal
                                                     : run.status == RunStatus::cancelled && told;
      expect(fits, id.text() + " ended as " + std::string(name_of(run.status)) + " " + reason +
                       " " + to_json(run.error));
      expect(run.waits.empty(), "a wait is left of an ended run");
      ContactKey key{run.account, run.contact_id};
      expect(world.contacts().contains(key), "a run names a contact that was never made");
    }
  }

 private:
  struct Order {
    uint64_t number = 0;
    contact::Command command;
    Instant at;
    bool done = false;
  };

  static WorkflowId drawn_workflow(Chaos& chaos) {
    return chaos.dice().chance(0.5) ? WorkflowId("w") : WorkflowId();
  }

  contact::PutContact changed(World& world) {
    Chaos& chaos = world.chaos();
    contact::PutContact put;
    Value date;
    if (chaos.dice().chance(0.9))
      date = to_rfc3339(world.clock().true_now() + Duration{chaos.between(-5'000, 60'000)});
    put.fields = Value::object({{"date", date}, {"n", chaos.between(0, 9)}});
    put.phone = "555" + std::to_string(chaos.between(0, 9));
    return put;
  }

  void start(World& world) {
    Chaos& chaos = world.chaos();
    Request request = world.start("contact-" + std::to_string(++runs_), definition_, Value());
    std::get<StartRun>(request.command.body).contact_id =
        keys_[chaos.dice().below(keys_.size())].id;
    request.after = Duration{chaos.between(0, 10'000)};
    request.answered = [&world](const Outcome<RunSummary>& answer) {
      if (!answer && answer.error().code == ErrorCode::contact_opted_out)
        world.probe(Probe::contact_start_refused);
    };
    world.send(std::move(request));
  }

  /// A goal may be reached at any moment; of two that are needed the second ends the run.
  void achieve(World& world) {
    Chaos& chaos = world.chaos();
    Request request;
    RunId id("contact-" + std::to_string(chaos.between(1, runs_)));
    AchieveGoals goals{
        {chaos.dice().chance(0.5) ? "booked" : "paid"}, {}, "", AccountId("main"), WorkflowId("w")};
    if (chaos.dice().chance(0.5)) goals.needed = {"booked", "paid"};
    request.command = {std::move(id), std::move(goals), "tester"};
    request.waits_for_run = false;
    world.send(std::move(request));
  }

  void tell(World& world, const ContactKey& key, contact::Body body) {
    orders_.push_back({++orders_made_, {key, std::move(body), "tester"}, world.clock().true_now()});
  }

  void send(World& world, Order& order) {
    if (order.done || order.at > world.clock().true_now()) return;
    order.at = world.clock().true_now() + Duration{world.chaos().between(500, 5'000)};
    // A lost answer must not reach an order that is gone.
    bool taken = world.contact_intake().submit_contact(
        order.command, [this, number = order.number](const Outcome<ContactTold>& told) {
          bool busy = !told && (told.error().code == ErrorCode::store_unavailable ||
                                told.error().code == ErrorCode::outcome_unknown);
          expect(told || busy || told.error().code == ErrorCode::contact_not_found,
                 "an order to a contact is refused");
          for (Order& one : orders_)
            if (one.number == number && !busy) one.done = true;
        });
    expect(taken, "the queue of a small world is full");
  }

  /// As a server does after the catalogue was written.
  void turn_switches(World& world) {
    Chaos& chaos = world.chaos();
    AccountTable table;
    AccountSettings settings;
    settings.waits.resumes_off = chaos.dice().chance(0.3);
    table.settings[AccountId("main")] = std::make_shared<AccountSettings>(settings);
    WorkflowRules rules;
    rules.inactive = static_cast<OnInactive>(chaos.dice().below(5));
    table.rules[{AccountId("main"), WorkflowId("w")}] = rules;
    world.accounts() = std::move(table);
  }

  /// Waits that were held for a reason that is gone are released, as a server's sweep does.
  void let_go(World& world) {
    const AccountTable& table = world.accounts();
    auto settings = table.settings_of(AccountId("main"));
    bool off = settings && settings->waits.resumes_off;
    bool inactive = table.inactive(AccountId("main"), WorkflowId("w")) == OnInactive::hold;
    for (const RunId& id : world.runs()) {
      const Run* run = world.state(id);
      for (const auto& [key, wait] : run->waits) {
        if (wait.hold.empty()) continue;
        world.probe(Probe::wait_held_at_gate);
        if ((wait.hold == "resumes_off" && off) || (wait.hold == "workflow_inactive" && inactive))
          continue;
        if (!freeing_.insert(wait.id).second) continue;
        Request request;
        request.command = {id, ReleaseWaits{wait.id, wait.hold}, "tester"};
        request.answered = [this, wait_id = wait.id](const Outcome<RunSummary>&) {
          freeing_.erase(wait_id);
        };
        world.send(std::move(request));
      }
    }
  }

  graph::DefinitionRef definition_;
  std::vector<ContactKey> keys_;
  std::list<Order> orders_;
  std::set<std::string> freeing_;
  uint64_t orders_made_ = 0;
  int runs_ = 0;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_contacts() { return std::make_unique<ContactChanges>(); }

}  // namespace fermata::sim
