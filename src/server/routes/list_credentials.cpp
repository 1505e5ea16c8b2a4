#include "front/credential_request.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void list_credentials(Api& api, Call call) {
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto page = api.catalog().credentials(call.who.account, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const CredentialRecord& record : page->items) items.push(front::to_value(record));
  call.send_json(200, page_value(std::move(items), page->next_cursor));
}

}  // namespace fermata::server::routes
