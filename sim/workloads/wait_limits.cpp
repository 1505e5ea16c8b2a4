#include <set>

#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

/// More waits than the account may have (W-80). Those of the engine are delayed and never fail;
/// those of the API are refused and come again. At no write are there more than the limit.
class WaitLimitsReached final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    limit_ = chaos.between(1, 4);
    AccountSettings settings;
    settings.limits.waits_per_account = limit_;
    settings.limits.listeners_per_minute = chaos.between(1, 6);
    settings.limits.waits_per_execution = 2;
    world.accounts().settings[AccountId("main")] =
        std::make_shared<AccountSettings>(std::move(settings));
    GraphBuilder graph;
    graph
        .node("nap", "wait",
              Value::object({{"wait_type", "fixed_time"},
                             {"duration", chaos.between(1, 20)},
                             {"unit", "minutes"}}))
        .node("hear", "wait",
              Value::object({{"wait_type", "for_event"},
                             {"event_type", "email_open"},
                             {"scope", "execution"},
                             {"timeout_hours", chaos.between(1, 3)}}))
        .node("after", "noop")
        .edge("start", "nap")
        .edge("start", "hear")
        .edge("nap", "after")
        .edge("hear", "after");
    auto definition = world.define(graph.document());
    world.allow(Duration{int64_t{6} * 3'600'000});
    for (int64_t i = chaos.between(2, 8); i > 0; --i) {
      RunId id("limits-" + std::to_string(i));
      Request request = world.start(id.text(), definition, Value());
      request.after = Duration{chaos.between(0, 120'000)};
      world.send(std::move(request));
      if (chaos.dice().chance(0.5)) open_by_api(world, id);
      if (chaos.dice().chance(0.2)) end(world, id);
    }
  }

  void watch(World& world) override {
    int64_t counted = 0;
    for (const auto& [id, record] : world.store().waits()) {
      const Wait& wait = record.wait;
      counted += counts_in_limit(wait) ? 1 : 0;
      if (wait.hold == held_by_limit && limited_.insert(id).second)
        world.probe(Probe::wait_limited);
      bool entered = counts_in_limit(wait) && limited_.contains(id);
      if (entered && entered_.insert(id).second) world.probe(Probe::wait_entered);
    }
    expect(counted <= limit_,
           std::to_string(counted) + " waits are pending, " + std::to_string(limit_) + " may be");
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      bool ended = run.status == RunStatus::completed || run.status == RunStatus::cancelled;
      expect(ended, id.text() + " ended as " + std::string(name_of(run.status)));
    }
    for (const auto& [id, record] : world.store().waits())
      expect(!is_pending(record.wait.status) && record.wait.status != WaitStatus::error,
             "a wait is left, or has failed");
  }

 private:
  static void open_by_api(World& world, const RunId& id) {
    Request request;
    OpenWait open;
    open.step = "side";
    open.type = "fixed_time";
    open.config = Value::object({{"duration", world.chaos().between(1, 9)}, {"unit", "minutes"}});
    open.request = "once";
    request.command = {id, std::move(open), "tester"};
    request.after = Duration{world.chaos().between(0, 600'000)};
    request.answered = [](const Outcome<RunSummary>& answer) {
      bool fits = answer || answer.error().code == ErrorCode::wait_limit_account ||
                  answer.error().code == ErrorCode::wait_limit_execution ||
                  answer.error().code == ErrorCode::run_finished ||
                  answer.error().code == ErrorCode::store_unavailable ||
                  answer.error().code == ErrorCode::outcome_unknown ||
                  answer.error().code == ErrorCode::execution_not_found;
      expect(fits, "a wait of the API is refused as " +
                       (answer ? "" : std::string(name_of(answer.error().code))));
    };
    world.send(std::move(request));
  }

  /// A run that ends while its waits stand in line makes room for others.
  static void end(World& world, const RunId& id) {
    Request request;
    request.command = {id, CancelRun{"enough"}, "tester"};
    request.after = Duration{world.chaos().between(0, 600'000)};
    world.send(std::move(request));
  }

  int64_t limit_ = 0;
  std::set<std::string> limited_, entered_;
};

}  // namespace

std::unique_ptr<Workload> make_wait_limits() { return std::make_unique<WaitLimitsReached>(); }

}  // namespace fermata::sim
