#include "base/json.h"
#include "core/run/history.h"
#include "sim/model/graph_builder.h"
#include "sim/workloads/meddler.h"
#include "sim/workloads/registry.h"

namespace fermata::sim {

namespace {

/// Nodes and scripts ask people. Yes, no, answers to another question, answers by whoever asked,
/// timeouts, pauses, cancels and crashes race. Each question ends once, and whoever is told that
/// his answer counted was the one (F-37, G-49, J-41, J-42).
class Approvals final : public Workload {
 public:
  void prepare(World& world) override {
    Chaos& chaos = world.chaos();
    for (int64_t i = chaos.between(1, 2); i > 0; --i) {
      start(world, "asking-" + std::to_string(i), world.define(graph(chaos)));
      start(world, "script-" + std::to_string(i), world.define_script(script(chaos)));
    }
  }

  void watch(World& world) override {
    meddler_.watch(world);
    for (const RunId& id : world.runs())
      for (const auto& [number, approval] : world.state(id)->approvals)
        if (asked_.insert(approval.id).second) answer(world, id, approval);
  }

  void judge(World& world) override {
    for (const RunId& id : world.runs()) {
      const Run& run = *world.state(id);
      bool fine = run.status == RunStatus::completed || run.status == RunStatus::cancelled ||
                  run.error.get("code") == Value("timeout") ||
                  run.error.get("code") == Value("approval_rejected");
      expect(fine, id.text() + ": " + to_json(run.error));
      expect(run.approvals.empty(), "a question is left of an ended run");
      judge_history(world, id);
    }
    for (const auto& [id, by] : counted_)
      expect(decided_.contains(id) && decided_.at(id) == by,
             by + " was told that the answer to " + id + " counted");
  }

 private:
  static Value graph(Chaos& chaos) {
    static constexpr const char* ends[] = {"fail", "reject", "approve"};
    Value parameters = Value::object({{"title", "may I"},
                                      {"payload", Value::object({{"n", 1}})},
                                      {"approvers", "operator"},
                                      {"approve_edge_id", "yes"},
                                      {"on_timeout", ends[chaos.dice().below(3)]}});
    if (chaos.dice().chance(0.7)) parameters.set("timeout_ms", chaos.between(1, 20'000));
    bool turns = chaos.dice().chance(0.5);
    if (turns) parameters.set("reject_edge_id", "no");
    Value more = Value::object();
    if (chaos.dice().chance(0.3))
      more.set("retry", Value::object({{"max_attempts", 2}, {"backoff_ms", 1'000}}));
    GraphBuilder graph;
    graph.node("ask", "approval", parameters, more)
        .node("done", "noop")
        .node("join", "merge", Value::object({{"timeout", 0}}))
        .node("nap", "wait", wait_ms(chaos.between(1, 5'000)))
        .edge("start", "ask")
        .edge("start", "nap")
        .edge("ask", "done", "yes")
        .edge("done", "join")
        .edge("nap", "join");
    if (turns) graph.node("sorry", "noop").edge("ask", "sorry", "no").edge("sorry", "join");
    return graph.document();
  }

  static std::string script(Chaos& chaos) {
    static constexpr const char* ways[] = {
        "return await Approval.request({ title: 'one', timeout: 5, otherwise: { approved: null } "
        "})",
        "try { return await Approval.request({ title: 'one', details: [1, 2], timeout: 3 }) }\n"
        "catch (e) { return e.code }",
        "const both = [Approval.request({ title: 'a' }), Approval.request({ title: 'b' })]\n"
        "return await Task.race([...both, Task.delay(8)], { cancel: true })",
        "const first = Approval.request({ title: 'a', approvers: ['admin', 'key:anna'] })\n"
        "const late = await Task.race({ first, nap: Task.delay(2) })\n"
        "if (late.key == 'nap') first.cancel('too late')\n"
        "return await Promise.allSettled([first])",
    };
    return ways[chaos.dice().below(std::size(ways))];
  }

  void start(World& world, const std::string& name, const graph::DefinitionRef& definition) {
    world.send(world.start(name, definition, Value::object()));
    RunId id(name);
    if (world.chaos().dice().chance(0.4)) meddler_.pause(world, id, 1, 15'000);
    if (!world.chaos().dice().chance(0.3)) return;
    Request cancel;
    cancel.command = {id, CancelRun{"enough"}, "tester"};
    cancel.after = Duration{world.chaos().between(0, 15'000)};
    world.send(std::move(cancel));
  }

  void answer(World& world, const RunId& run, const Approval& approval) {
    Chaos& chaos = world.chaos();
    auto send = [&](const std::string& by, bool yes, const std::string& hash, int64_t within_ms) {
      Request request;
      request.command = {run, AnswerApproval{approval.id, {yes, hash, "because", "admin", false}},
                         by};
      request.after = Duration{chaos.between(0, within_ms)};
      request.answered = [this, id = approval.id, by](const Outcome<RunSummary>& outcome) {
        if (outcome) counted_[id] = by;
      };
      world.send(std::move(request));
    };
    if (chaos.dice().chance(0.5)) send("stale", true, "0123", 10'000);
    if (chaos.dice().chance(0.5)) send("tester", true, approval.hash, 10'000);
    if (chaos.dice().chance(0.5)) send("anna", true, approval.hash, 20'000);
    if (chaos.dice().chance(0.5)) send("bert", false, approval.hash, 20'000);
    // Somebody comes in the end, or nothing would.
    send("clara", chaos.dice().chance(0.5), approval.hash, 60'000);
  }

  void judge_history(World& world, const RunId& id) {
    std::map<std::string, Approval> open;
    for (const HistoryChunk& chunk : world.stored(id)->history) {
      auto events = decode_history(chunk);
      expect(static_cast<bool>(events), "a chunk cannot be read");
      for (const Event& event : *events) {
        if (const auto* asked = std::get_if<ApprovalRequested>(&event.body))
          expect(open.emplace(asked->approval.id, asked->approval).second, "asked twice");
        const auto* told = std::get_if<ApprovalDecided>(&event.body);
        if (told) judge_end(world, open, *told, event.at);
      }
    }
  }

  void judge_end(World& world, std::map<std::string, Approval>& open, const ApprovalDecided& told,
                 Instant at) {
    auto found = open.find(told.id);
    expect(found != open.end(), "an answer that nobody waits for, or a second one");
    const std::optional<Instant>& until = found->second.expires_at;
    bool expired = told.status == ApprovalStatus::expired;
    expect(!expired || (until && at >= *until), "a question runs out before its time");
    expect(expired || !until || at <= *until, "an answer comes after its time");
    expect(told.by != "stale" && told.by != "tester", told.by + " may not answer");
    if (!expired) decided_[told.id] = told.by;
    world.probe(expired ? Probe::approval_expired : Probe::approval_answered);
    open.erase(found);
  }

  Meddler meddler_;
  std::set<std::string> asked_;
  std::map<std::string, std::string> counted_;  ///< whose answers counted, as they were told
  std::map<std::string, std::string> decided_;  ///< as the histories say
};

}  // namespace

std::unique_ptr<Workload> make_approvals() { return std::make_unique<Approvals>(); }

}  // namespace fermata::sim
