#pragma once
#include <map>

#include "ports/calls.h"
#include "ports/clock.h"
#include "ports/feed.h"
#include "ports/telemetry.h"

/// Tells what runs do to whoever collects traces. Both stand between the host and the real thing,
/// and only where traces are collected.
namespace fermata {

/// Hands on what it is told, and the steps of recorded runs to the telemetry.
class TracingFeed final : public PassingFeed {
 public:
  TracingFeed(Feed& inner, Telemetry& telemetry) : PassingFeed(inner), telemetry_(telemetry) {}
  void committed(const RunSummary& summary, const HistoryChunk& events) override;
  void settled(const Run& state) override;

 private:
  Telemetry& telemetry_;
  HistoryChunk latest_;  ///< told by `committed`, which `settled` follows
};

/// Hands calls on, and each that was recorded and answered to the telemetry. A call that is placed
/// again after a crash is the same step.
class TracingCalls final : public Calls {
 public:
  TracingCalls(std::unique_ptr<Calls> inner, Telemetry& telemetry, Clock& clock)
      : inner_(std::move(inner)), telemetry_(telemetry), clock_(clock) {}
  void submit(const CallTicket& ticket, CallRequest request) override;
  void abandon(const CallTicket& ticket) override;
  std::vector<CallAnswer> harvest() override;
  bool holds(const CallTicket& ticket) const override { return inner_->holds(ticket); }
  size_t in_flight() const override { return inner_->in_flight(); }

 private:
  std::unique_ptr<Calls> inner_;
  Telemetry& telemetry_;
  Clock& clock_;
  std::map<CallTicket, Span> under_way_;  ///< of recorded calls
};

}  // namespace fermata
