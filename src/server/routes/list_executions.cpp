#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void list_executions(Api& api, Call call) {
  auto filter = front::read_run_filter(call.query, call.who.account);
  if (!filter) return api.fail(call, filter.error());
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto page = api.reader().list(*filter, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const RunSummary& summary : page->items) items.push(view::list_item(summary));
  call.send_json(200, page_value(std::move(items), page->next_cursor));
}

}  // namespace fermata::server::routes
