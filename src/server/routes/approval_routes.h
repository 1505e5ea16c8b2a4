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

}  // namespace fermata::server::routes
