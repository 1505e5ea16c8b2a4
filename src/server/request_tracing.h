#pragma once
#include <chrono>
#include <functional>

#include "base/time.h"
#include "core/model/trace.h"
#include "ports/telemetry.h"
#include "server/route.h"

namespace fermata::server {

/// How requests join traces. A request with a `traceparent` belongs to its sender's trace;
/// where traces are collected, one without begins its own, and every request that is sampled is a
/// step of its trace.
class RequestTracing {
 public:
  /// Without `telemetry` traces are passed on and nothing is recorded. `share` of the traces that
  /// begin here are sampled.
  RequestTracing(Telemetry* telemetry, double share, std::function<uint64_t()> random)
      : telemetry_(telemetry), share_(share), random_(std::move(random)) {}

  /// Before the request is handled; `route` is nullptr when it matched none.
  void begin(http::Request& request, const Route* route);
  void end(const http::Request& request, int status, std::chrono::nanoseconds took, Instant now);

 private:
  Telemetry* const telemetry_;
  const double share_;
  const std::function<uint64_t()> random_;
};

/// What a run or a signal remembers of the request that asked for it.
RunTrace trace_of(const http::Request& request);

}  // namespace fermata::server
