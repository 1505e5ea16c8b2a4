#include "host/run_spans.h"

#include "core/run/history.h"

namespace fermata {
namespace {

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

/// Goes through the events of one commit and keeps what ends there.
class Collector {
 public:
  Collector(const RecordedRun& run, const TraceContext& cause) : run_(run), cause_(cause) {
    own_ = run_span(run.id);
  }

  void take(const Event& event) {
    at_ = event.at;
    std::visit([this](const auto& body) { ended(body); }, event.body);
  }
  std::vector<Span> spans() { return std::move(spans_); }

 private:
  template <class Other>
  void ended(const Other&) {}
  void ended(const RunMigrated&) { renumbered_ = true; }
  void ended(const NodeSucceeded& body) {
    Span& span = activation(body.activation, body.started_at);
    if (body.skipped) span.attributes.emplace_back("fermata.skipped", true);
  }
  void ended(const WaitResumed& body) {
    Span& span = activation(body.activation, body.started_at);
    span.attributes.emplace_back("fermata.resumed_by", body.resumed_by);
  }
  void ended(const NodeFailed& body) {
    fail(activation(body.activation, body.started_at), body.error);
  }
  void ended(const SignalReceived& body) {
    Span& span = add("signal " + body.name, at_);
    span.context.span_id = span_id_of("signal\n" + run_.id.text() + "\n" + body.id);
    if (auto sender = parse_trace(body.traceparent, "")) span.links.push_back(*sender);
  }
  void ended(const RunCompleted&) { whole("completed"); }
  void ended(const RunFailed& body) { fail(whole("failed"), body.error); }
  void ended(const RunCancelled&) { whole("cancelled"); }
  void ended(const RunTimedOut&) {
    fail(whole("timed_out"), Value::object({{"code", "run_timeout"}}));
  }

  Span& add(std::string name, Instant start) {
    Span& span = spans_.emplace_back();
    span.context = cause_;
    span.parent_id = own_;
    span.name = std::move(name);
    span.start_ns = nanoseconds(std::min(start, at_));
    span.end_ns = nanoseconds(at_);
    span.attributes = {{"fermata.execution_id", run_.id.text()},
                       {"fermata.workflow_id", run_.workflow.text()}};
    return span;
  }

  Span& activation(const Activation& activation, Instant start) {
    const graph::Node* node = nullptr;
    // Before a migration nodes had other numbers; that commit's names are left out.
    if (!renumbered_ && run_.definition && activation.node < run_.definition->nodes.size())
      node = &run_.definition->nodes[activation.node];
    Span& span = add(node ? "node " + node->id : "node", start);
    span.context.span_id = activation_span(run_.id, activation.token);
    if (node) span.attributes.emplace_back("fermata.node_id", node->id);
    if (node) span.attributes.emplace_back("fermata.node_type", graph::wire_name(node->type));
    span.attributes.emplace_back("fermata.visit", activation.visit);
    span.attributes.emplace_back("fermata.attempt", activation.attempt);
    if (!activation.lineage.outside())
      span.attributes.emplace_back("fermata.item", activation.lineage.item);
    return span;
  }

  Span& whole(std::string_view status) {
    Span& span = add("run " + run_.workflow.text(), run_.started_at);
    span.context.span_id = own_;
    span.parent_id = cause_.span_id;
    span.attributes.emplace_back("fermata.account_id", run_.account.text());
    span.attributes.emplace_back("fermata.workflow_version", run_.workflow_version);
    span.attributes.emplace_back("fermata.status", status);
    return span;
  }

  /// The code alone: messages may quote what was processed.
  static void fail(Span& span, const Value& error) {
    span.failed = true;
    span.failure = text_of(error.get("code"));
    if (!span.failure.empty()) span.attributes.emplace_back("error.type", span.failure);
  }

  const RecordedRun& run_;
  const TraceContext& cause_;
  std::string own_;
  Instant at_;
  bool renumbered_ = false;
  std::vector<Span> spans_;
};

}  // namespace

RecordedRun recorded(const Run& run) {
  return {run.id,         run.account, run.workflow,  run.workflow_version,
          run.started_at, run.trace,   run.definition};
}

std::vector<Span> spans_of(const RecordedRun& run, const HistoryChunk& chunk) {
  auto cause = parse_trace(run.trace.parent, run.trace.state);
  auto events = decode_history(chunk);
  if (!cause || !events) return {};
  Collector collector(run, *cause);
  for (const Event& event : *events) collector.take(event);
  std::vector<Span> spans = collector.spans();
  if (spans.size() <= spans_per_commit_max) return spans;
  // The end of the run comes last and matters most.
  spans.erase(spans.begin(), spans.end() - static_cast<std::ptrdiff_t>(spans_per_commit_max));
  return spans;
}

}  // namespace fermata
