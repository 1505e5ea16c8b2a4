#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"
#include "core/model/wait.h"

/// A question to people that a run has asked and waits for (F-37, G-49). It belongs to its run:
/// only the run's events change it, and the store keeps a copy that is written in the same commit.
namespace fermata {

/// All but the first are final. Withdrawn: nobody wants the answer any more.
enum class ApprovalStatus : uint8_t { pending, approved, rejected, expired, withdrawn };
constexpr ApprovalStatus last_of(ApprovalStatus) { return ApprovalStatus::withdrawn; }
std::string_view name_of(ApprovalStatus status);
std::optional<ApprovalStatus> approval_status_of(std::string_view name);

struct Approval {
  static constexpr bool extensible = true;
  std::string id;
  WaitSource source = WaitSource::graph;
  uint64_t number = 0;  ///< of the token that stands there, or of the script's awaitable
  std::string step;     ///< node id, or `function:line` of a script
  std::string title;
  std::string message;
  Value payload;
  std::vector<std::string> approvers;  ///< who may answer (core/approval/vote.h)
  std::string hash;                    ///< of what is asked; an answer names it
  Value unblocks;  ///< {approve, reject}: where the run goes on, or null
  std::string on_timeout;  ///< fail, reject, approve or otherwise; empty: it never times out
  std::optional<Instant> expires_at;
  Instant asked_at;
  Instant updated_at;
  ApprovalStatus status = ApprovalStatus::pending;
  std::optional<Instant> ended_at;
  std::string by;
  std::string comment;
  std::string ended_reason;  ///< why it was withdrawn
  bool operator==(const Approval&) const = default;
  template <class V> void each(V&& v) {
    v("id", id); v("source", source); v("number", number); v("step_id", step); v("title", title);
    v("message", message); v("payload", payload); v("approvers", approvers); v("hash", hash);
    v("unblocks", unblocks); v("on_timeout", on_timeout); v("expires_at", expires_at);
    v("asked_at", asked_at); v("updated_at", updated_at); v("status", status);
    v("ended_at", ended_at); v("by", by); v("comment", comment); v("ended_reason", ended_reason);
  }
};

/// An approval with the names of what it belongs to: a row of the store.
struct ApprovalRecord {
  static constexpr bool extensible = true;
  AccountId account;
  WorkflowId workflow;
  RunId run;
  std::string contact_id;
  std::string started_by;  ///< who started the run, and may not answer
  Approval approval;
  bool operator==(const ApprovalRecord&) const = default;
  template <class V> void each(V&& v) {
    v("account_id", account); v("workflow_id", workflow); v("execution_id", run);
    v("contact_id", contact_id); v("started_by", started_by); v("approval", approval);
  }
};

}  // namespace fermata
