#include "server/bulk.h"
#include "server/routes/bulk_execution.h"

namespace fermata::server {

const BulkKind* bulk_kind(std::string_view name) {
  static constexpr BulkKind kinds[] = {{"executions", routes::act_on_execution}};
  for (const BulkKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace fermata::server
