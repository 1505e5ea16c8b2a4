#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/workflow_measures.h"

namespace fermata::server::routes {

void list_workflows(Api& api, Call call) {
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto measured = front::read_flag(call.query, "measures");
  if (!measured) return api.fail(call, measured.error());
  auto page = api.catalog().workflows(call.who.account, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const WorkflowRecord& record : page->items) {
    auto definition = api.definitions().load_any(record.current_hash);
    Value item = workflow_value(record);
    // One that cannot be read is told when it is asked for; the list is not lost for it.
    if (definition) item.set("language", definition->language());
    if (*measured) item.set("measures", workflow_measures(api, call.who.account, record.id));
    items.push(std::move(item));
  }
  call.send_json(200, page_value(std::move(items), page->next_cursor));
}

}  // namespace fermata::server::routes
