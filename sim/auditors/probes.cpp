#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// Reads from the events which rare branches the engine took.
class ProbeAuditor final : public Auditor {
 public:
  explicit ProbeAuditor(ProbeHook hook) : hook_(std::move(hook)) {}

  void event(const Run& before, const Event& event) override {
    std::visit([&](const auto& body) { see(before, event, body); }, event.body);
  }
  void written(const Run& after, const RunSummary&) override {
    if (has_ready_work(after)) hook_(Probe::budget_spilled);
  }

 private:
  template <class Body>
  void see(const Run&, const Event&, const Body&) {}

  void see(const Run&, const Event&, const Box<RunStarted>& start) {
    const RunStarted& body = *start;
    if (body.origin_kind == "retry") hook_(Probe::retry_restored);
    if (body.origin_kind == "fork") hook_(Probe::fork_restored);
  }
  void see(const Run& before, const Event& event, const RunUnpaused&) {
    for (const RunTimer& timer : before.timers)
      if (timer.kind == TimerKind::token && timer.due <= event.at) hook_(Probe::pause_held_timer);
  }
  void see(const Run& before, const Event&, const NodeSucceeded& body) {
    if (before.paused()) hook_(Probe::pause_recorded_answer);
    const graph::Node& node = before.definition->nodes[body.activation.node];
    if (node.type == graph::NodeType::loop && body.activation.visit > 1) hook_(Probe::loop_turned);
    auto token = before.tokens.find(body.activation.token);
    if (token == before.tokens.end() || token->second.gathers == 0) return;
    if (before.scopes.at(token->second.gathers).timed_out) hook_(Probe::aggregator_partial);
  }
  void see(const Run&, const Event&, const NodeFailed& body) {
    if (body.error.get("code") == Value("outcome_unknown")) hook_(Probe::outcome_unknown);
    if (body.error.get("code") == Value("timeout")) hook_(Probe::signal_timed_out);
  }
  void see(const Run&, const Event&, const NodeRetryScheduled&) { hook_(Probe::node_retried); }
  void see(const Run& before, const Event&, const WaitResumed& body) {
    if (body.resumed_by == "timeout") hook_(Probe::signal_timed_out);
    if (body.resumed_by == "manual") hook_(Probe::wait_resumed_by_hand);
    bool fresh = before.tokens.at(body.activation.token).parked == Parked::ready;
    if (body.resumed_by == "signal" && fresh) hook_(Probe::signal_kept);
  }
  void see(const Run&, const Event&, const RollbackEnded&) { hook_(Probe::run_rolled_back); }
  void see(const Run&, const Event&, const UndoEnded& body) {
    if (body.status == UndoStatus::parked) hook_(Probe::undo_parked);
  }
  void see(const Run& before, const Event&, const UndoSubmitted& body) {
    if (before.saga.find(body.seq)->late) hook_(Probe::undo_of_late_success);
  }
  void see(const Run&, const Event&, const StopAnswered& body) {
    if (body.until) hook_(Probe::undo_waited_for_worker);
  }
  void see(const Run&, const Event&, const WaitCancelled&) { hook_(Probe::wait_cancelled); }
  void see(const Run&, const Event&, const WaitChanged&) { hook_(Probe::wait_changed); }
  void see(const Run&, const Event&, const WaitReleased&) { hook_(Probe::wait_released); }
  void see(const Run& before, const Event&, const TokensArrived&) {
    if (before.last_sequence > 3) hook_(Probe::run_fed);
  }
  void see(const Run&, const Event&, const SplitOpened& body) {
    if (body.activation.token == 0) hook_(Probe::split_fed);
    if (body.total == 0) hook_(Probe::split_empty);
    if (!body.activation.lineage.outside()) hook_(Probe::split_nested);
  }
  void see(const Run&, const Event&, const SlotResolved& body) {
    if (body.outcome == SlotOutcome::error) hook_(Probe::item_failed_collected);
  }
  void see(const Run&, const Event&, const SplitClosed& body) {
    if (body.timed_out) hook_(Probe::aggregator_timed_out);
  }
  void see(const Run& before, const Event&, const MergeOpened& body) {
    const Merge& merge = before.merges.at({body.lineage, body.node, body.visit});
    if (merge.parameters.get("wait_mode") == Value("wait_for_any")) hook_(Probe::merge_any_opened);
  }
  void see(const Run&, const Event&, const MergeFailed& body) {
    if (body.error.get("code") == Value("merge_timeout")) hook_(Probe::merge_timed_out);
  }
  void see(const Run&, const Event&, const ArrivalIgnored&) { hook_(Probe::arrival_ignored); }
  void see(const Run&, const Event&, const TokensCancelled& body) {
    if (!body.whole_lineage) hook_(Probe::losers_cancelled);
  }
  void see(const Run&, const Event&, const RunFailed&) { hook_(Probe::run_failed); }
  void see(const Run&, const Event&, const RunCancelled&) { hook_(Probe::run_cancelled); }
  void see(const Run&, const Event&, const RunTimedOut&) { hook_(Probe::run_timed_out); }

  ProbeHook hook_;
};

}  // namespace

std::unique_ptr<Auditor> probe_auditor(ProbeHook hook) {
  return std::make_unique<ProbeAuditor>(std::move(hook));
}

}  // namespace fermata::sim
