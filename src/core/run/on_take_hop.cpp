#include "core/graph/advance.h"

namespace fermata {

Outcome<void> on_take_hop(Step& step, const TakeHop& hop) {
  if (step.over()) return fail(ErrorCode::run_finished, "the execution has ended");
  auto token = step.run.tokens.find(hop.token);
  if (token == step.run.tokens.end() || token->second.parked != Parked::bus)
    return fail(ErrorCode::activation_closed, "the token has come back already");
  step.emit(TokenTaken{activation_of(step.run, hop.token)});
  step.here.insert(hop.token);
  graph::touch_pending_merges(step);
  graph::advance(step);
  return {};
}

}  // namespace fermata
