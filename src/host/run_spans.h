#pragma once
#include "core/model/run.h"
#include "ports/telemetry.h"

namespace fermata {

/// What a trace shows of a run that is recorded; taken from its state when a commit has settled.
struct RecordedRun {
  RunId id;
  AccountId account;
  WorkflowId workflow;
  uint32_t workflow_version = 0;
  Instant started_at;
  RunTrace trace;
  graph::DefinitionRef definition;
};
RecordedRun recorded(const Run& run);

/// As spans count time.
inline int64_t nanoseconds(Instant at) { return at.ms * 1'000'000; }

/// Spans beyond this many of one commit are left out.
constexpr size_t spans_per_commit_max = 1'000;

/// The steps that the events of one commit ended: activations, signals that came in, and the run
/// itself at its end. Nothing for events that cannot be read.
std::vector<Span> spans_of(const RecordedRun& run, const HistoryChunk& events);

}  // namespace fermata
