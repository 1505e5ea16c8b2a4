#pragma once
#include <functional>
#include <map>

#include "ports/calls.h"
#include "sim/chaos.h"
#include "sim/ports/outside.h"
#include "sim/ports/sim_clock.h"

namespace fermata::sim {

/// Calls under way in one process. Answers come late, twice, in another order, or not at all: then
/// the process forgets the ticket, as if its connection had died unnoticed.
class SimCalls final : public Calls {
 public:
  /// `sent` hears of every request before it leaves.
  using Sent = std::function<void(const CallTicket&, const CallRequest&)>;
  SimCalls(Chaos& chaos, const SimClock& clock, Outside& outside, bool may_fail, Sent sent)
      : chaos_(chaos),
        clock_(clock),
        outside_(outside),
        may_fail_(may_fail),
        sent_(std::move(sent)) {}

  void submit(const CallTicket& ticket, CallRequest request) override;
  void abandon(const CallTicket& ticket) override;
  std::vector<CallAnswer> harvest() override;
  bool holds(const CallTicket& ticket) const override { return under_way_.contains(ticket); }
  size_t in_flight() const override { return under_way_.size(); }

  /// When the next answer comes, in true time.
  std::optional<Instant> next() const;

 private:
  struct Coming {
    CallAnswer answer;
    bool lost = false;  ///< nothing comes, but the ticket is let go
  };
  int64_t latency_ms();
  void spoil(CallAnswer& answer);

  Chaos& chaos_;
  const SimClock& clock_;
  Outside& outside_;
  const bool may_fail_;
  Sent sent_;
  std::multimap<Instant, Coming> coming_;     ///< by true time
  std::map<CallTicket, uint32_t> under_way_;  ///< answers still to come per ticket
};

}  // namespace fermata::sim
