#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/trace_context.h"
#include "base/value.h"

namespace fermata {

/// The numbers are those of OpenTelemetry.
enum class SpanKind : uint8_t { internal = 1, server = 2, client = 3 };

/// A step of a trace that has ended. Holds no secrets: names and ids, never payloads.
struct Span {
  TraceContext context;   ///< the trace, and the id of this step
  std::string parent_id;  ///< of the step that caused it; empty when it is the first
  std::string name;
  SpanKind kind = SpanKind::internal;
  int64_t start_ns = 0;  ///< since 1970
  int64_t end_ns = 0;
  bool failed = false;
  std::string failure{};  ///< why, in a few words
  std::vector<std::pair<std::string, Value>> attributes{};
  std::vector<TraceContext> links{};  ///< steps of other traces that have to do with it
};

/// Where spans go. Safe from any thread. Never blocks and never fails: what finds no room, or
/// cannot be delivered, is dropped and counted.
class Telemetry {
 public:
  virtual ~Telemetry() = default;
  /// `make` is called later on a thread of the adapter, or never. It must not fail and keeps alive
  /// what it needs, which takes about `bytes`.
  using Make = std::function<std::vector<Span>()>;
  virtual void record(Make make, size_t bytes) = 0;

  struct Counts {
    uint64_t exported = 0;  ///< spans that were taken in at the other end
    uint64_t dropped = 0;   ///< spans, or makers of spans, that were not
    uint64_t failures = 0;  ///< deliveries that failed, tries included
    uint64_t queued = 0;
  };
  virtual Counts counts() const = 0;
};

}  // namespace fermata
