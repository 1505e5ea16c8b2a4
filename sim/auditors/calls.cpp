#include "sim/auditors/calls.h"

#include "sim/ports/outside.h"

namespace fermata::sim {

void CallAuditor::sent(const CallTicket& ticket, const CallRequest& request) {
  const Run* run = ledger_.state(ticket.run);
  if (!run) throw Violation{"a call of a run that is not stored: " + ticket.run.text()};
  auto found = run->tokens.find(ticket.token);
  if (found == run->tokens.end() || found->second.parked != Parked::call ||
      found->second.attempt != ticket.attempt)
    violate(*run, "a call is sent that the run does not await: " + request.url);
  const Token& token = found->second;
  uint32_t times = ++times_[ticket];
  if (times > 1) probe_(Probe::lost_call_placed_again);
  if (times > 1 && token.parameters.get("at_most_once") == Value(true))
    violate(*run, "an at_most_once call is sent twice");
  // A run that retries another one uses its keys on purpose.
  if (run->run_key != run->id) return;
  Place place{run->id, token.node, token.lineage, token.visit};
  auto [known, first] = keys_.try_emplace(Outside::key_of(request), place);
  if (known->second != place) violate(*run, "one idempotency key for two activations");
}

}  // namespace fermata::sim
