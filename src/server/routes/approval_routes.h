#pragma once
#include "server/api.h"

/// The handlers of approvals (approval_table.cpp).
namespace fermata::server::routes {

void list_approvals(Api& api, Call call);
void get_approval(Api& api, Call call);
void approve_approval(Api& api, Call call);
void reject_approval(Api& api, Call call);

/// The one of the path's first variable, if it is the caller's.
Outcome<ApprovalRecord> own_approval(Api& api, const Call& call);

/// The same for what a job asks: its id is the approval's (J-40).
void answer_job_approval(Api& api, Call call, bool approve);
/// True when the path names a job of the caller that has asked for an approval.
bool is_job_approval(Api& api, const Call& call);

}  // namespace fermata::server::routes
