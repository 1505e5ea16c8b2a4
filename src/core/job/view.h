#pragma once
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/job/job.h"
#include "core/job/summary.h"
#include "core/model/summary.h"

/// What people and workers see of a job: JSON made from its state by pure functions.
namespace fermata::job::view {

/// `GET /jobs/{id}`: what was asked, and state, phase, reason, attempt, tries, losses, times,
/// verdict, approval, output or error, usage.
Value job(const Job& job, Instant engine_started_at);
/// The same as far as a list needs it.
Value list_item(const Summary& summary);
/// `POST /jobs`: {id, state, phase, reason_code?, request_hash}.
Value receipt(const Summary& summary);
/// `GET /jobs/{id}/attempts`, oldest first.
Value attempts(const Job& job);
/// `GET /jobs/{id}/history`: one object per event with sequence, type, at and its fields. Chunks
/// may begin anywhere; only events with sequence in [from, from + limit) are given.
Outcome<std::vector<Value>> history(const std::vector<HistoryChunk>& chunks, uint64_t from,
                                    size_t limit);
/// A job as it is handed to the worker that holds its open attempt (jobs.md §7). An input that
/// lies in a blob is given as `input_blob`.
Value delivery(const Job& job);

/// What policy made of the result: null when it said nothing.
Value output_policy(const Job& job);

/// One of `GET /approvals` (J-44); null for a job that never asked for one.
Value approval(const Job& job, Instant now);

}  // namespace fermata::job::view
