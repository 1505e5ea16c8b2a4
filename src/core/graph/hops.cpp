#include "core/graph/advance.h"

/// Step by step by a broker, for those who watch there (C-60).
namespace fermata::graph {

bool goes_by_broker(const Step& step, TokenId id) {
  const AccountId& account = step.given.limits.hops;
  if (account.empty() || account != step.run.account || step.here.contains(id)) return false;
  const Token& token = step.run.tokens.at(id);
  // A start comes to its node by itself, and a split is closed where its items are counted.
  return token.edge != no_edge && token.gathers == 0;
}

void send_hop(Step& step, TokenId id) {
  step.emit(
      TokenSent{activation_of(step.run, id), step.at + Duration{step.given.limits.hop_again_ms}});
}

}  // namespace fermata::graph
