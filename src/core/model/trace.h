#pragma once
#include <optional>
#include <string>

#include "base/id.h"
#include "base/trace_context.h"

namespace fermata {

/// The trace that a run belongs to: the step of some other program that had it started.
struct RunTrace {
  std::string parent;     ///< `traceparent` of that step, or empty
  std::string state;      ///< its `tracestate`
  bool recorded = false;  ///< the run's own steps are told to whoever collects traces
  bool operator==(const RunTrace&) const = default;
};

/// The steps of a run as a trace knows them. Their ids are made from the run's, so that a step that
/// is taken again after a crash is the same step.
std::string run_span(const RunId& run);
std::string activation_span(const RunId& run, uint64_t token);
std::string call_span(const RunId& run, uint64_t token, uint32_t attempt);

/// What a step `span` of a run passes on to those it calls: itself, or the run's own cause when
/// its steps are not recorded. Nothing for a run without a trace.
std::optional<TraceContext> passed_on(const RunTrace& trace, std::string span);

}  // namespace fermata
