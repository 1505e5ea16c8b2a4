#include "sim/workloads/graph_verdict.h"

#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/workload.h"

namespace fermata::sim {

namespace {

using model::Count;

void count(const Event& event, const graph::Definition& definition,
           std::map<std::string, Count>& counts) {
  auto at = [&](NodeIndex node) -> Count& { return counts[definition.nodes[node].id]; };
  if (const auto* done = std::get_if<NodeSucceeded>(&event.body)) {
    if (!done->skipped) ++at(done->activation.node).succeeded;
  } else if (const auto* resumed = std::get_if<WaitResumed>(&event.body)) {
    ++at(resumed->activation.node).succeeded;
  } else if (const auto* split = std::get_if<SplitOpened>(&event.body)) {
    ++at(split->activation.node).succeeded;
  } else if (const auto* merge = std::get_if<MergeOpened>(&event.body)) {
    ++at(merge->node).succeeded;
  } else if (const auto* failed = std::get_if<NodeFailed>(&event.body)) {
    ++at(failed->activation.node).failed;
  } else if (const auto* broken = std::get_if<MergeFailed>(&event.body)) {
    ++at(broken->node).failed;
  }
}

/// How often each node ended, read from the stored history.
std::map<std::string, Count> counted(const StoredRun& stored, const graph::Definition& definition) {
  std::map<std::string, Count> counts;
  for (const HistoryChunk& chunk : stored.history) {
    auto events = decode_history(chunk);
    expect(static_cast<bool>(events), "a chunk cannot be read");
    for (const Event& event : *events) count(event, definition, counts);
  }
  return counts;
}

void judge_output(const model::Spec& spec, const model::Expected& expected, const Run& run) {
  expect(run.output.size() == expected.ended.size(),
         "the output has " + std::to_string(run.output.size()) + " names instead of " +
             std::to_string(expected.ended.size()) + ": " + to_json(run.output));
  for (const auto& [index, wanted] : expected.ended) {
    const model::SpecNode& node = spec.nodes[static_cast<size_t>(index)];
    const Value* output = run.output.find(node.id);
    expect(output != nullptr, "the output lacks " + node.id);
    bool found = false;
    for (const Value& value : wanted) found = found || agrees(node, *output, value);
    expect(found,
           node.id + " ended with " + to_json(*output) + " instead of " + to_json(wanted.front()));
  }
}

}  // namespace

void judge_outcome(const model::Spec& spec, const model::Expected& expected, const Run& run) {
  if (!expected.codes.empty()) {
    expect(run.status == RunStatus::failed,
           "run " + run.id.text() + " should have failed, but " + std::string(name_of(run.status)));
    std::string code = to_text(run.error.get("code"));
    expect(expected.codes.contains(code), "run " + run.id.text() + " failed with " + code);
    return;
  }
  expect(run.status == RunStatus::completed,
         "run " + run.id.text() + " should have completed, but " +
             std::string(name_of(run.status)) + " " + to_json(run.error));
  judge_output(spec, expected, run);
}

void judge_counts(const model::Spec& spec, const model::Expected& expected, const Run& run,
                  const StoredRun& stored) {
  std::map<std::string, Count> got = counted(stored, *run.definition);
  for (const auto& [index, wanted] : expected.counts) {
    const std::string& id = spec.nodes[static_cast<size_t>(index)].id;
    Count times = got[id];
    bool fits = expected.cut_short
                    ? times.succeeded <= wanted.succeeded && times.failed <= wanted.failed
                    : times == wanted;
    expect(fits, id + " succeeded " + std::to_string(times.succeeded) + " and failed " +
                     std::to_string(times.failed) + " times instead of " +
                     std::to_string(wanted.succeeded) + " and " + std::to_string(wanted.failed));
    got.erase(id);
  }
  for (const auto& [id, times] : got)
    expect(times.succeeded + times.failed == 0, id + " ran and should not have");
}

Value graph_input(int64_t first, int64_t items) {
  return Value::object(
      {{"t", first}, {"items", counted_items(items, first)}, {"none", Value::array()}});
}

}  // namespace fermata::sim
