#include <cmath>

#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

constexpr int64_t backoff_ms = 500;
constexpr int64_t max_backoff_ms = 3'000;
constexpr int64_t attempts_max = 4;

/// Calls and a mail that fail and are tried again: by the node's policy, by http's own parameters,
/// and at most once. Delays and attempts keep to their policy; the other side sees one key per
/// activation.
class Retries final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    failing_ = chaos.dice().chance(0.5);
    if (failing_) world.let_calls_fail();
    Value retry = Value::object({{"max_attempts", attempts_max},
                                 {"backoff_ms", backoff_ms},
                                 {"max_backoff_ms", max_backoff_ms}});
    Value policy = on_error_branch("broken");
    policy.set("retry", retry);
    GraphBuilder graph;
    graph
        .node("flaky", "http",
              Value::object({{"url", "http://sim/flaky/2/f"}, {"raise_on_status", "5xx"}}), policy)
        .node("once", "http",
              Value::object({{"url", "http://sim/ok/once"},
                             {"at_most_once", true},
                             {"method", "POST"},
                             {"body", "$run.now"}}),
              on_error_ignore())
        .node("own", "http",
              Value::object({{"url", "http://sim/flaky/1/own"},
                             {"retry", 2},
                             {"retry_delay", 0.2},
                             {"raise_on_status", "5xx"}}),
              on_error_ignore())
        .node("mail", "smtp",
              Value::object({{"from", "a@sim"}, {"to", "flaky2@sim"}, {"body", "$run.now"}}),
              mail_policy(retry))
        .node("fine", "noop")
        .node("sorry", "noop")
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .edge("start", "flaky")
        .edge("start", "once")
        .edge("start", "own")
        .edge("start", "mail")
        .edge("flaky", "fine")
        .edge("flaky", "sorry", "broken")
        .edge("fine", "join")
        .edge("sorry", "join")
        .edge("once", "join")
        .edge("own", "join")
        .edge("mail", "join");
    auto definition = world.define(graph.document());
    int64_t runs = chaos.between(1, 3);
    for (int64_t i = 0; i < runs; ++i)
      world.send(world.start("retry-" + std::to_string(i), definition, Value::object()));
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      expect(run.status == RunStatus::completed, id.text() + ": " + to_json(run.error));
      const Value& join = run.output.get("join");
      expect(join.get("items").size() == 4, "the merge got " + to_json(join));
      judge_history(world, run);
    }
  }

 private:
  static Value mail_policy(const Value& retry) {
    Value policy = on_error_ignore();
    policy.set("retry", retry);
    policy.set("credentials", Value::object({{"id", "post"}}));
    return policy;
  }
  void judge_history(World& world, const Run& run) {
    for (const HistoryChunk& chunk : world.stored(run.id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        if (const auto* retried = std::get_if<NodeRetryScheduled>(&event.body))
          judge_delay(run, event, *retried);
        if (const auto* failed = std::get_if<NodeFailed>(&event.body)) judge_failure(run, *failed);
      }
    }
  }
  void judge_delay(const Run& run, const Event& event, const NodeRetryScheduled& retried) {
    const std::string& node = run.definition->nodes[retried.activation.node].id;
    expect(node != "once", "an at_most_once call without a policy is retried");
    auto delay = static_cast<double>((retried.retry_at - event.at).ms);
    if (node == "own") return expect(delay == 200, "retry_delay is not kept");
    double wanted = std::min<double>(max_backoff_ms,
                                     backoff_ms * std::pow(2.0, retried.activation.attempt - 1));
    expect(delay >= wanted * 0.9 - 1 && delay <= wanted * 1.1 + 1,
           "attempt " + std::to_string(retried.activation.attempt) + " is delayed by " +
               std::to_string(delay) + " ms");
  }
  void judge_failure(const Run& run, const NodeFailed& failed) {
    const std::string& node = run.definition->nodes[failed.activation.node].id;
    std::string code = to_text(failed.error.get("code"));
    if (node == "once") {
      expect(code == "outcome_unknown" || failing_, "at_most_once failed with " + code);
      return;
    }
    // 503 from a mail server is final, other than from a web server.
    if (node == "mail" && code == "smtp_rejected") return expect(failing_, "the mail was refused");
    expect(failing_, node + " failed although the other side came back in time: " + code);
    uint32_t attempts = node == "own" ? 3 : attempts_max;
    expect(failed.activation.attempt == attempts,
           node + " gave up after " + std::to_string(failed.activation.attempt) + " attempts");
  }

  bool failing_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_retries() { return std::make_unique<Retries>(); }

}  // namespace fermata::sim
