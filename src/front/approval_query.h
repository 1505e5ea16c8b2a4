#pragma once
#include "core/approval/vote.h"
#include "front/run_query.h"
#include "ports/approvals.h"

namespace fermata::front {

/// Which approvals: `status` (a comma list), `workflow_id`, `execution_id`, `q`. Other names are
/// left alone. Fails with `invalid_query`.
Outcome<ApprovalFilter> read_approval_filter(const NamedValues& query, const AccountId& account);
/// The same and `kind` from `filter` of a bulk request, in which a name that is not known is a
/// mistake.
struct ApprovalSelection {
  ApprovalFilter filter;
  std::string kind;  ///< job, run, or empty for both
};
Outcome<ApprovalSelection> read_approval_selection(const Value& filter, const AccountId& account);

/// The body of an answer: `{hash, reason?, note?}`; who rejects says why (J-41).
Outcome<approval::Vote> read_vote(const Value& body, bool approve);

}  // namespace fermata::front
