#include "server/bulk.h"
#include "server/routes/approval_routes.h"
#include "server/routes/bulk_execution.h"
#include "server/routes/bulk_job.h"
#include "server/routes/bulk_wait.h"
#include "server/routes/dead_letter_retry.h"
#include "server/wait_sweep.h"

namespace fermata::server {

const BulkKind* bulk_kind(std::string_view name) {
  static constexpr BulkKind kinds[] = {{"executions", routes::act_on_execution},
                                       {"waits", routes::act_on_wait},
                                       {"jobs", routes::act_on_job},
                                       {"approvals", routes::act_on_approval},
                                       {"dead_letters", routes::act_on_dead_letter},
                                       {"swept_waits", act_on_swept_wait}};
  for (const BulkKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace fermata::server
