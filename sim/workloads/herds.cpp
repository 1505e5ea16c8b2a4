#include <algorithm>
#include <map>

#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// One account has a herd of waits that fall due at one instant, others have a few that were opened
/// after it. Each resumes once and never early; and where nothing goes wrong the few do not wait
/// for the herd to pass (W-67, W-95). Now and then the store does not take a resume: it is tried
/// again, or given up after the last try (W-66).
class Herds final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    world.settings().turn_commands_max = turn_commands;
    if (chaos.dice().chance(0.5)) chaos.demand(Fault::commit_refused, 0.2);
    // A herd is found again by the sweep when the index that held it is gone (C-1).
    if (chaos.dice().chance(0.5)) chaos.demand(Fault::timers_flushed, 0.02);
    GraphBuilder graph;
    graph
        .node("nap", "wait",
              Value::object({{"wait_type", "until_date"}, {"target_date", "$input.at"}}))
        .node("after", "noop")
        .edge("start", "nap")
        .edge("nap", "after");
    definition_ = world.define(graph.document());
    Instant due = world.clock().true_now() + Duration{chaos.between(60, 120) * 60'000};
    Value input = Value::object({{"at", to_rfc3339(due)}});
    for (int64_t i = chaos.between(5 * turn_commands, 8 * turn_commands); i > 0; --i)
      start(world, "crowd", i, input, Duration{chaos.between(0, 60'000)});
    for (const char* account : {"few", "fewer"})
      for (int64_t i = chaos.between(1, 3); i > 0; --i)
        start(world, account, i, input, Duration{chaos.between(120'000, 180'000)});
  }

  void judge(World& world) override {
    size_t failed = 0;
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      bool given_up =
          run.status == RunStatus::failed && run.error.get("code") == Value("wait_resume_failed");
      expect(run.status == RunStatus::completed || given_up, id.text() + " did not complete");
      failed += given_up ? 1 : 0;
    }
    for (const auto& [id, record] : world.store().waits()) judge_wait(world, record.wait);
    if (failed > 0) world.probe(Probe::resume_given_up);
    if (world.chaos().calm()) judge_fairness(world);
  }

 private:
  static constexpr int64_t turn_commands = 8;

  void start(World& world, const std::string& account, int64_t number, const Value& input,
             Duration after) {
    Request request =
        world.start(account + "-" + std::to_string(number), definition_, Value(input));
    std::get<StartRun>(request.command.body).account = AccountId(account);
    request.after = after;
    world.send(std::move(request));
  }

  static void judge_wait(World& world, const Wait& wait) {
    expect(!is_pending(wait.status), "a wait is left");
    if (wait.retries > 0) world.probe(Probe::resume_tried_again);
    bool error = wait.status == WaitStatus::error;
    expect(wait.retries <= 3 && (!error || wait.retries == 3), "a resume is given up too early");
  }

  /// How many had resumed when the last one of each account did.
  static void judge_fairness(World& world) {
    std::vector<std::pair<uint64_t, AccountId>> order;
    for (const auto& [id, record] : world.store().waits())
      order.emplace_back(world.store().ended_at(id), record.account);
    std::sort(order.begin(), order.end());
    std::map<AccountId, size_t> last;
    for (size_t i = 0; i < order.size(); ++i) last[order[i].second] = i;
    for (const char* account : {"few", "fewer"})
      expect(last.at(AccountId(account)) < 3 * turn_commands,
             std::string(account) + " waited for the herd to pass");
  }

  graph::DefinitionRef definition_;
};

}  // namespace

std::unique_ptr<Workload> make_herds() { return std::make_unique<Herds>(); }

}  // namespace fermata::sim
