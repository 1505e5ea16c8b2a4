#pragma once
#include <deque>
#include <functional>
#include <map>

#include "ports/calls.h"
#include "ports/clock.h"
#include "test/scenario/faults.h"

namespace fermata::scenario {

/// The servers that http nodes talk to: they remember what reached them and give the same answer to
/// the same attempt, however often it is sent. They outlive the host and its calls.
class Server {
 public:
  struct Request {
    CallTicket ticket;
    CallRequest request;
    std::string node;
  };
  /// An answer to every call of a node, given after a while.
  struct Rule {
    CallAnswer answer;
    Duration after;
  };
  using NodeOf = std::function<std::string(const CallTicket&)>;

  explicit Server(NodeOf node_of) : node_of_(std::move(node_of)) {}

  void receive(const CallTicket& ticket, const CallRequest& request);
  void set_rule(const std::string& node, Rule rule) { rules_[node] = std::move(rule); }
  void set_answer(const CallTicket& ticket, CallAnswer answer);
  const CallAnswer* answer_to(const CallTicket& ticket) const;
  const Rule* rule_for(const std::string& node) const;
  const std::vector<Request>& received() const { return received_; }
  std::string node_of(const CallTicket& ticket) const { return node_of_(ticket); }

 private:
  NodeOf node_of_;
  std::vector<Request> received_;
  std::map<std::string, Rule> rules_;
  std::map<CallTicket, CallAnswer> answers_;
};

/// The Calls port of a scenario: what is under way ends with the host. Single-threaded.
class ScriptedCalls final : public Calls {
 public:
  ScriptedCalls(Server& server, const Clock& clock, FaultPlan& plan)
      : server_(server), clock_(clock), plan_(plan) {}

  void submit(const CallTicket& ticket, CallRequest request) override;
  void abandon(const CallTicket& ticket) override;
  std::vector<CallAnswer> harvest() override;
  bool holds(const CallTicket& ticket) const override;
  size_t in_flight() const override { return flying_.size(); }

  /// Tickets under way, in the order they were placed.
  std::vector<CallTicket> flying() const;
  /// The answer arrives now, `copies` times, whether or not the call is under way here.
  void deliver(CallAnswer answer, int copies);
  /// When the next answer arrives, if one is on its way.
  std::optional<Instant> next_answer() const;
  size_t most_in_flight() const { return most_in_flight_; }

 private:
  struct Flight {
    CallTicket ticket;
    std::optional<Instant> lands;  ///< when its answer arrives, if known
    CallAnswer answer;
  };
  Server& server_;
  const Clock& clock_;
  FaultPlan& plan_;
  std::deque<Flight> flying_;
  std::deque<CallAnswer> landed_;
  size_t most_in_flight_ = 0;
};

}  // namespace fermata::scenario
