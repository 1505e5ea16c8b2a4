#include "core/graph/advance.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_answer(Step& step, const CallAnswer& answer) {
  Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  auto found = run.tokens.find(answer.ticket.token);
  bool awaited = found != run.tokens.end() && found->second.parked == Parked::call &&
                 found->second.attempt == answer.ticket.attempt;
  if (!awaited) return fail(ErrorCode::activation_closed, "this attempt is no longer awaited");
  graph::take_answer(step, answer);
  graph::advance(step);
  return {};
}

Outcome<void> on_recover(Step& step, const RecoverCalls& recover) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  bool placed = false;
  for (TokenId id : recover.lost) {
    auto found = step.run.tokens.find(id);
    if (step.over() || found == step.run.tokens.end() || found->second.parked != Parked::call)
      continue;
    graph::place_lost_call(step, id);
    placed = true;
  }
  if (!placed) return fail(ErrorCode::nothing_due, "no call is lost");
  graph::advance(step);
  return {};
}

}  // namespace fermata
