#include "test/scenario/scripted_calls.h"

#include <algorithm>

namespace fermata::scenario {

void Server::receive(const CallTicket& ticket, const CallRequest& request) {
  received_.push_back({ticket, request, node_of_(ticket)});
}

void Server::set_answer(const CallTicket& ticket, CallAnswer answer) {
  answer.ticket = ticket;
  answers_.insert_or_assign(ticket, std::move(answer));
}

const CallAnswer* Server::answer_to(const CallTicket& ticket) const {
  auto found = answers_.find(ticket);
  return found == answers_.end() ? nullptr : &found->second;
}

const Server::Rule* Server::rule_for(const std::string& node) const {
  auto found = rules_.find(node);
  return found == rules_.end() ? nullptr : &found->second;
}

void ScriptedCalls::submit(const CallTicket& ticket, CallRequest request) {
  if (plan_.strikes(Fault::crash_before_submit)) throw Crash{};
  server_.receive(ticket, request);
  if (plan_.strikes(Fault::crash_after_submit)) throw Crash{};
  Flight flight{ticket, {}, {}};
  if (const CallAnswer* known = server_.answer_to(ticket)) {
    flight.lands = clock_.now();
    flight.answer = *known;
  } else if (const Server::Rule* rule = server_.rule_for(server_.received().back().node)) {
    flight.lands = clock_.now() + rule->after;
    flight.answer = rule->answer;
    flight.answer.ticket = ticket;
  }
  flying_.push_back(std::move(flight));
  most_in_flight_ = std::max(most_in_flight_, flying_.size());
}

void ScriptedCalls::abandon(const CallTicket& ticket) {
  std::erase_if(flying_, [&](const Flight& flight) { return flight.ticket == ticket; });
}

std::vector<CallAnswer> ScriptedCalls::harvest() {
  std::vector<CallAnswer> answers(landed_.begin(), landed_.end());
  landed_.clear();
  for (auto flight = flying_.begin(); flight != flying_.end();) {
    bool lands = flight->lands && *flight->lands <= clock_.now();
    if (lands) answers.push_back(std::move(flight->answer));
    flight = lands ? flying_.erase(flight) : std::next(flight);
  }
  return answers;
}

bool ScriptedCalls::holds(const CallTicket& ticket) const {
  auto same = [&](const auto& entry) { return entry.ticket == ticket; };
  return std::any_of(flying_.begin(), flying_.end(), same) ||
         std::any_of(landed_.begin(), landed_.end(), same);
}

std::vector<CallTicket> ScriptedCalls::flying() const {
  std::vector<CallTicket> tickets;
  for (const Flight& flight : flying_) tickets.push_back(flight.ticket);
  return tickets;
}

void ScriptedCalls::deliver(CallAnswer answer, int copies) {
  abandon(answer.ticket);
  for (int i = 0; i < copies; ++i) landed_.push_back(answer);
}

std::optional<Instant> ScriptedCalls::next_answer() const {
  std::optional<Instant> next;
  if (!landed_.empty()) next = clock_.now();
  for (const Flight& flight : flying_)
    if (flight.lands && (!next || *flight.lands < *next)) next = flight.lands;
  return next;
}

}  // namespace fermata::scenario
