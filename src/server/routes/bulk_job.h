#pragma once
#include "server/api.h"
#include "server/bulk.h"

namespace fermata::server::routes {

/// `BulkKind::act` of jobs (U-40).
void act_on_job(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                BulkDone done);

/// `POST /jobs/bulk`.
void bulk_jobs(Api& api, Call call);

}  // namespace fermata::server::routes
