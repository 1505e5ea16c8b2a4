#include <algorithm>

#include "cli/serving.h"
#include "server/engine_metrics.h"
#include "server/metric_text.h"

/// What /metrics tells of the engine, its store, and what stands beside them (C-109).
namespace fermata::cli {
namespace {

constexpr uint64_t shards = 256;  // one lease is for all of them

}  // namespace

std::vector<std::string> Serving::parts_away() const {
  std::vector<std::string> away;
  bool up = !wires_.empty() && std::all_of(wires_.begin(), wires_.end(),
                                           [](const auto& wire) { return wire->health().up; });
  if (!nats_addresses(settings_).empty() && !up) away.push_back("nats");
  if (engine_.index)
    for (std::string& name : engine_.index->degraded()) away.push_back(std::move(name));
  if (bus_)
    for (std::string& name : bus_->degraded()) away.push_back(std::move(name));
  return away;
}

std::string Serving::parts_metrics() const {
  using Counts = std::map<std::string, uint64_t>;
  std::string lines = server::engine_metrics(engine_.host->counters());
  Counts away;
  if (!nats_addresses(settings_).empty()) away[server::metric_label("component", "nats")] = 0;
  if (engine_.index) away[server::metric_label("component", "redis")] = 0;
  if (bus_) away[server::metric_label("component", "rabbitmq")] = 0;
  for (const std::string& name : parts_away()) away[server::metric_label("component", name)] = 1;
  if (!away.empty())
    server::append_metric(lines, "fermata_degraded", "gauge",
                          "1 while a part is away that the server goes on without.", away);
  // Where other servers may share the store.
  if (engine_.store->replicas()) {
    Counts unknown;
    for (const auto& [outcome, count] : engine_.store->unknown_commits())
      unknown[server::metric_label("outcome", outcome)] = count;
    server::append_metric(lines, "fermata_unknown_commits_total", "counter",
                          "Commits whose answer was lost, by what was found out of them.", unknown);
    server::append_metric(
        lines, "fermata_clock_skew_seconds", "gauge",
        "By how much the clock is ahead of PostgreSQL's.",
        std::map<std::string, double>{{"", static_cast<double>(clock_ahead_ms_) / 1e3}});
    server::append_metric(lines, "fermata_shards_owned", "gauge", "Shards that this server leads.",
                          Counts{{"", ready_ ? shards : 0}});
  }
  if (!gateways_.empty()) lines += metrics_of(gateways_);
  if (engine_.index) lines += engine_.index->metrics();
  if (bus_) bus_->append_metrics(lines);
  return lines;
}

}  // namespace fermata::cli
