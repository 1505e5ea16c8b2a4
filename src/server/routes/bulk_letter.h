#pragma once
#include "server/api.h"
#include "server/bulk.h"

namespace fermata::server::routes {

/// `BulkKind::act` of dead letters (U-43): each is retried as `POST /dlq/{id}/retry` does.
void act_on_letter(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                   BulkDone done);

/// `POST /dlq/bulk`.
void bulk_letters(Api& api, Call call);

}  // namespace fermata::server::routes
