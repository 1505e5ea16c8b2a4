#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void list_versions(Api& api, Call call) {
  auto record = own_workflow(api, call);
  if (!record) return api.fail(call, record.error());
  auto versions = api.catalog().versions(call.who.account, record->id);
  if (!versions) return api.fail(call, versions.error());
  Value items = Value::array();
  for (const WorkflowVersion& version : *versions)
    items.push(Value::object({{"version", version.version},
                              {"hash", version.hash.text()},
                              {"current", version.version == record->current_version},
                              {"created_at", to_rfc3339(version.created_at)},
                              {"created_by", version.created_by}}));
  call.send_json(200, page_value(std::move(items), {}));
}

}  // namespace fermata::server::routes
