#include "server/routes/workflow_measures.h"

#include <map>
#include <set>

#include "base/json.h"
#include "core/run/view.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

constexpr size_t measured_events_max = 2'000;  ///< of one execution
constexpr int64_t week_ms = 7LL * 24 * 3'600'000;

Value length_value(const LengthCounts& lengths, double share) {
  auto length = lengths.percentile(share);
  return length ? Value(length->ms) : Value();
}

std::string text_of(const Value& event, std::string_view name) {
  const Value& found = event.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

using ByNode = std::map<std::string, LengthCounts>;

/// From the first thing that is told of an activation to its end.
void add_lengths(const std::vector<Value>& history, ByNode& nodes) {
  std::map<std::string, Instant> begun;
  for (const Value& event : history) {
    std::string node = text_of(event, "node_id");
    auto at = parse_rfc3339(text_of(event, "at"));
    if (node.empty() || !at) continue;
    const Value& lineage = event.get("lineage");
    std::string key = node + "\n" + to_json(lineage) + "\n" + to_json(event.get("visit"));
    std::string type = text_of(event, "type");
    if (type == "NodeStarted" || type == "WaitOpened") {
      begun.try_emplace(key, *at);
    } else if (type == "NodeSucceeded") {
      // What is done at once is told by its end alone.
      auto found = begun.find(key);
      nodes[node].add(found == begun.end() ? Duration{0} : *at - found->second);
      if (found != begun.end()) begun.erase(found);
    }
  }
}

Outcome<ByNode> lengths_of(Api& api, const AccountId& account, const WorkflowId& workflow) {
  RunFilter filter;
  filter.account = account;
  filter.workflow = workflow;
  filter.statuses = {RunStatus::completed};
  FERMATA_TRY(page, api.reader().list(filter, measured_runs_max, ""));
  ByNode nodes;
  for (const RunSummary& summary : page.items) {
    FERMATA_TRY(run, api.reader().find(summary.id, 1, measured_events_max));
    FERMATA_TRY(definitions, definitions_of(api, run.summary));
    FERMATA_TRY(history, view::history(run.history, definitions, 1, measured_events_max));
    add_lengths(history, nodes);
  }
  return nodes;
}

}  // namespace

Value workflow_measures(Api& api, const AccountId& account, const WorkflowId& workflow) {
  Measures::OfWorkflow measured = api.hub().measures().workflow(account, workflow, api.now());
  Value hours = Value::array();
  for (const Measures::Step& step : measured.hours)
    hours.push(Value::object({{"start", to_rfc3339(step.start)},
                              {"started", step.counted.started},
                              {"failed", step.counted.failed()}}));
  return Value::object(
      {{"started", measured.day.started},
       {"completed", measured.day.ended[0]},
       {"failed", measured.day.failed()},
       {"p50_ms", length_value(measured.lengths, 0.5)},
       {"p95_ms", length_value(measured.lengths, 0.95)},
       {"last_started_at",
        measured.last_started ? Value(to_rfc3339(*measured.last_started)) : Value()},
       {"hours", std::move(hours)}});
}

Outcome<Value> node_measures(Api& api, const AccountId& account, const WorkflowId& workflow) {
  FERMATA_TRY(lengths, lengths_of(api, account, workflow));
  std::map<std::string, std::map<std::string, uint64_t>> failures;
  for (const Measures::Cause& cause :
       api.hub().measures().causes(account, api.now() - Duration{week_ms}))
    if (cause.workflow == workflow && !cause.node.empty())
      failures[cause.node][cause.code] += cause.count;
  std::set<std::string> nodes;
  for (const auto& [node, counts] : lengths) nodes.insert(node);
  for (const auto& [node, codes] : failures) nodes.insert(node);
  Value out = Value::object();
  for (const std::string& node : nodes) {
    Value codes = Value::object();
    uint64_t failed = 0;
    for (const auto& [code, count] : failures[node]) {
      codes.set(code, count);
      failed += count;
    }
    const LengthCounts& counts = lengths[node];
    out.set(node, Value::object({{"failed_7d", failed},
                                 {"codes", std::move(codes)},
                                 {"count", counts.total()},
                                 {"p50_ms", length_value(counts, 0.5)},
                                 {"p95_ms", length_value(counts, 0.95)}}));
  }
  return out;
}

}  // namespace fermata::server::routes
