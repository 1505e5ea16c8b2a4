#include <algorithm>
#include <map>

#include "core/wait/date_text.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

constexpr const char* place_name = "Europe/Berlin";

/// Zone data changes under pending waits while clocks step both ways (W-48, W-49). Every wait
/// follows the data in force; none resumes before its local time as it then was known.
class WaitZones final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    change(world);
    GraphBuilder graph;
    auto until = [](const char* date) {
      return Value::object(
          {{"wait_type", "until_date"}, {"target_date", date}, {"timezone", place_name}});
    };
    graph.node("first", "wait", until("$input.first"))
        .node("second", "wait", until("$input.second"))
        .node("after", "noop")
        .edge("start", "first")
        .edge("first", "second")
        .edge("second", "after");
    definition_ = world.define(graph.document());
    world.allow(Duration{int64_t{6} * 3'600'000});
    auto date = [&] {
      Instant at = world.clock().true_now() + Duration{chaos.between(1, 120) * 60'000};
      return to_rfc3339(at).substr(0, 16);
    };
    for (int64_t i = chaos.between(1, 6); i > 0; --i) {
      Value input = Value::object({{"first", date()}, {"second", date()}});
      Request request = world.start("zones-" + std::to_string(i), definition_, std::move(input));
      request.after = Duration{chaos.between(0, 60'000)};
      world.send(std::move(request));
    }
  }

  void watch(World& world) override {
    Chaos& chaos = world.chaos();
    if (chaos.healed() && !settled_at_) {
      change(world);
      // Histories do not go back where clocks do.
      settled_at_ = world.clock().now();
      for (const RunId& id : world.runs())
        settled_at_ = std::max(*settled_at_, world.state(id)->last_at);
    }
    if (!settled_at_ && chaos.dice().chance(0.05)) change(world);
    for (const auto& [id, record] : world.store().waits())
      if (record.wait.intent.find("rescheduled_from")) world.probe(Probe::wait_followed_zones);
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs())
      expect(world.state(id)->status == RunStatus::completed, id.text() + " has not completed");
    for (const auto& [id, record] : world.store().waits()) check_wait(record.wait);
  }

 private:
  /// Another law, by which the same local times are other instants.
  void change(World& world) {
    auto offset = static_cast<int32_t>(world.chaos().between(-20, 20) * 60);
    std::string version = "v" + std::to_string(++versions_);
    auto zone = std::make_shared<const Zone>(Zone::fixed(offset, "LAW"));
    auto table = std::make_shared<const ZoneTable>(
        version, std::vector<ZoneTable::Named>{{place_name, std::move(zone)}});
    tables_[version] = table;
    world.set_zones(std::move(table));
  }

  void check_wait(const Wait& wait) const {
    const Value& version = wait.intent.get("tzdata_version");
    if (!version.is_string() || wait.resumed_by != "scheduler") return;
    auto table = tables_.find(std::string(version.as_string()));
    expect(table != tables_.end(), "a wait follows zone data that never was");
    auto local = parse_written_date(wait.intent.get("local_target").as_string());
    expect(local.has_value(), "a wait has lost its local time");
    Instant meant = table->second->find(place_name)->instant_of(local->local);
    // What has passed under the new law is due when the law was followed, not before.
    bool moved = wait.intent.find("rescheduled_from") != nullptr;
    expect(*wait.due == meant || (moved && *wait.due > meant),
           "the instant of a wait is not its local time under the law it follows");
    expect(*wait.ended_at >= meant, "a wait resumes before its local time");
    constexpr Duration enough{600'000};
    bool long_after = settled_at_ && *wait.ended_at > *settled_at_ + enough;
    bool newest = version == Value("v" + std::to_string(versions_));
    expect(!long_after || newest, "a wait has not followed the zone data in force");
  }

  graph::DefinitionRef definition_;
  std::map<std::string, std::shared_ptr<const ZoneTable>> tables_;
  int64_t versions_ = 0;
  std::optional<Instant> settled_at_;  ///< by the clock that waits go by: nothing changes any more
};

}  // namespace

std::unique_ptr<Workload> make_wait_zones() { return std::make_unique<WaitZones>(); }

}  // namespace fermata::sim
