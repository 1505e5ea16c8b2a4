#pragma once
#include "server/bulk.h"

namespace fermata::server::routes {

/// `BulkKind::act` of waits (W-18).
void act_on_wait(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                 BulkDone done);

}  // namespace fermata::server::routes
