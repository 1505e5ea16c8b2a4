#include "core/run/decide.h"

#include "base/overloaded.h"
#include "core/graph/advance.h"
#include "core/run/api_waits.h"
#include "core/run/approval_events.h"
#include "core/run/step.h"
#include "core/run/wait_events.h"
#include "core/saga/saga.h"

namespace fermata {

namespace {

Decision concluded(Step& step, bool ended_before) {
  if (step.run.finished() && !ended_before && !step.decision.events.empty()) report_end(step);
  step.decision.waits = take_wait_changes(step.run);
  step.decision.approvals = take_approval_changes(step.run);
  step.decision.deliveries = deliveries_of(step);
  step.decision.listeners_opened = step.listeners_opened;
  return std::move(step.decision);
}

}  // namespace

Activation activation_of(const Run& run, TokenId id) {
  const Token& token = run.tokens.at(id);
  uint32_t visit = token.visit;
  if (token.parked == Parked::ready || token.parked == Parked::start ||
      token.parked == Parked::bus) {
    visit = 0;
    const graph::Node& node = run.definition->nodes[token.node];
    if (token.gathers != 0 && node.type == graph::NodeType::split) {
      // A split that fails because its items did is still the activation that opened them.
      visit = run.scopes.at(token.gathers).visit;
    } else if (node.repeatable || run.fed) {
      const auto& visits = run.branch(token.lineage).visits;
      if (const uint32_t* next = visits.find(token.node)) visit = *next;
    }
  }
  return {id, token.node, token.lineage, visit, token.attempt};
}

Outcome<Decision> decide(Run& run, const Command& command, const Given& given) {
  run.wait_changes.clear();
  run.approval_changes.clear();
  bool starts = std::holds_alternative<StartRun>(command.body);
  if (!starts && !run.exists())
    return fail(ErrorCode::execution_not_found, "there is no execution " + command.run.text());
  Step step(run, given);
  if (const auto* settle = std::get_if<SettleJob>(&command.body)) step.settled = settle->job;
  bool ended_before = run.finished();
  if (!starts && run.saga.rolling_back) {
    FERMATA_TRY_VOID(saga::decide_rollback(step, command));
    return concluded(step, ended_before);
  }
  if (note_failed_resume(step, command)) return concluded(step, ended_before);
  if (!starts && run.definition->is_script()) {
    FERMATA_TRY_VOID(decide_script(step, command));
    return concluded(step, ended_before);
  }
  // An earlier decision stopped with tokens left to run: merges it touched were not judged.
  if (!starts && has_ready_work(run)) graph::touch_pending_merges(step);
  auto outcome = std::visit(
      Overloaded{
          [&](const StartRun& body) { return on_start(step, command, body); },
          [&](const WakeRun&) { return on_wake(step); },
          [&](const AnswerCall& body) { return on_answer(step, body.answer); },
          [&](const RecoverCalls& body) { return on_recover(step, body); },
          [&](const CancelRun& body) { return on_cancel(step, command, body); },
          [&](const PauseRun&) { return on_pause(step, command); },
          [&](const ResumeRun&) { return on_resume(step, command); },
          [&](const SignalRun& body) { return on_signal(step, body); },
          [&](const MigrateRun& body) { return on_migrate(step, body); },
          [&](const SettleJob& body) { return on_job_settled(step, body); },
          [&](const SettleChild& body) { return on_child_settled(step, body); },
          [&](const SettleSignal& body) { return on_signal_settled(step, body); },
          [&](const ResumeWait& body) { return on_resume_wait(step, body); },
          [&](const CancelWait& body) { return on_cancel_wait(step, command, body); },
          [&](const ChangeWait& body) { return on_change_wait(step, command, body); },
          [&](const HoldWaits& body) { return on_hold_waits(step, command, body); },
          [&](const ReleaseWaits& body) { return on_release_waits(step, command, body); },
          [&](const AnswerApproval& body) { return on_answer_approval(step, command, body); },
          [&](const OpenWait& body) { return on_open_wait(step, command, body); },
          [&](const CompleteRun& body) { return on_complete(step, body); },
          [&](const TakeAnswer& body) { return on_take_answer(step, command, body); },
          [&](const OfferSignal& body) { return on_offer(step, body); },
          [&](const FollowContact&) { return on_follow_contact(step, command); },
          [&](const FollowZones&) { return on_follow_zones(step); },
          [&](const AchieveGoals& body) { return on_achieve_goals(step, body); },
          [&](const SagaOrder& body) { return saga::on_order(step, command, body); },
          [&](const TakeHop& body) { return on_take_hop(step, body); },
      },
      command.body);
  if (!outcome) return Failure{std::move(outcome).error()};
  return concluded(step, ended_before);
}

}  // namespace fermata
