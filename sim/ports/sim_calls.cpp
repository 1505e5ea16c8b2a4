#include "sim/ports/sim_calls.h"

namespace fermata::sim {

int64_t SimCalls::latency_ms() {
  if (chaos_.strikes(Fault::call_slow)) return chaos_.between(1'000, 90'000);
  return chaos_.between(1, 60);
}

void SimCalls::spoil(CallAnswer& answer) {
  if (!may_fail_ || !chaos_.strikes(Fault::call_failed)) return;
  uint64_t kind = chaos_.dice().below(3);
  if (kind == 0) {
    answer.status = 503;
    return;
  }
  answer.error = kind == 1 ? "network" : "timeout";
  answer.message = "as the dice fell";
}

void SimCalls::submit(const CallTicket& ticket, CallRequest request) {
  chaos_.port_call("calls.submit");
  sent_(ticket, request);
  Coming coming{outside_.handle(ticket, request)};
  // A crash here: the server has done its part and the answer never comes.
  chaos_.port_call("calls.submit sent");
  spoil(coming.answer);
  coming.lost = chaos_.strikes(Fault::call_lost);
  bool twice = !coming.lost && chaos_.strikes(Fault::call_twice);
  under_way_[ticket] += twice ? 2 : 1;
  if (twice) coming_.emplace(clock_.true_now() + Duration{latency_ms()}, coming);
  coming_.emplace(clock_.true_now() + Duration{latency_ms()}, std::move(coming));
}

void SimCalls::abandon(const CallTicket& ticket) {
  chaos_.port_call("calls.abandon");
  if (chaos_.strikes(Fault::call_not_abandoned)) return;
  under_way_.erase(ticket);
  std::erase_if(coming_, [&](const auto& entry) { return entry.second.answer.ticket == ticket; });
}

std::vector<CallAnswer> SimCalls::harvest() {
  chaos_.port_call("calls.harvest");
  std::vector<CallAnswer> answers;
  while (!coming_.empty() && coming_.begin()->first <= clock_.true_now()) {
    Coming coming = std::move(coming_.begin()->second);
    coming_.erase(coming_.begin());
    auto open = under_way_.find(coming.answer.ticket);
    if (open != under_way_.end() && --open->second == 0) under_way_.erase(open);
    if (!coming.lost) answers.push_back(std::move(coming.answer));
  }
  return answers;
}

std::optional<Instant> SimCalls::next() const {
  if (coming_.empty()) return std::nullopt;
  return coming_.begin()->first;
}

}  // namespace fermata::sim
