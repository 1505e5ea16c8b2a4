#pragma once
#include <string>

#include "core/flow/durable/outgoing.h"
#include "core/model/event.h"

/// The questions of a run beside what waits for their answers. Used by evolve alone, except for the
/// makers and readers at the end: each change leaves the approval as it then is in
/// `approval_changes`.
namespace fermata {

/// How an approval ended.
struct ApprovalEnd {
  ApprovalStatus status = ApprovalStatus::withdrawn;
  std::string by{};
  std::string comment{};
  std::string reason{};
};
/// Nobody wants the answer any more; `reason` is a text or nothing.
ApprovalEnd withdrawn(const Value& reason);

/// Nothing when no approval is open there.
void end_approval(Run& run, uint64_t number, ApprovalEnd end);
void withdraw_approvals(Run& run, const std::string& reason);
/// The same when the run has ended: what was withdrawn just before was for that reason too.
void end_all_approvals(Run& run, const std::string& reason);
/// A run that goes on where another one was asks its questions anew.
void take_over_approvals(Run& run, Instant at);
/// Gives the changes since `from` their time.
void date_approvals(Run& run, size_t from, Instant at);

void apply(Run& run, const ApprovalRequested& event, Instant at);
void apply(Run& run, const ApprovalDecided& event, Instant at);

/// What a script asks, and what a node does.
Approval approval_of(const Run& run, const flow::OpenApproval& asked, const flow::Place& place,
                     Instant at);
Approval approval_of(const Run& run, TokenId token, const Value& parameters, Instant at);
/// The open approval with this id, or null.
const Approval* find_approval(const Run& run, const std::string& id);
/// Takes the changes out of the run, each approval once, with the names of what it belongs to.
std::vector<ApprovalRecord> take_approval_changes(Run& run);

}  // namespace fermata
