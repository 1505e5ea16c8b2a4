#pragma once
#include "front/run_query.h"
#include "server/api.h"
#include "server/bulk.h"

/// The handlers of approvals (approval_table.cpp).
namespace fermata::server::routes {

void list_approvals(Api& api, Call call);
void get_approval(Api& api, Call call);
void approve_approval(Api& api, Call call);
void reject_approval(Api& api, Call call);
void bulk_approvals(Api& api, Call call);

/// A page of `{items, next_cursor}`, those of jobs first; `kind` is job, run, or empty for both.
Outcome<Value> approval_page(Api& api, const ApprovalFilter& filter, std::string_view kind,
                             front::Paging paging);
/// `BulkKind::act` of approvals (U-42): rejects one whose request is still the one that was shown.
void act_on_approval(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                     BulkDone done);

/// The one of the path's first variable, if it is the caller's.
Outcome<ApprovalRecord> own_approval(Api& api, const Call& call);

/// The same for what a job asks: its id is the approval's (J-40).
void answer_job_approval(Api& api, Call call, bool approve);
/// True when the path names a job of the caller that has asked for an approval.
bool is_job_approval(Api& api, const Call& call);

}  // namespace fermata::server::routes
