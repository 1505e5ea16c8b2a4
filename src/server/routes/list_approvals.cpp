#include "core/run/approval_view.h"
#include "front/approval_query.h"
#include "server/routes/approval_routes.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> page_of(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_approval_filter(call.query, call.who.account));
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_approvals(filter, paging.limit, paging.cursor));
  Instant now = api.now();
  Value items = Value::array();
  for (const ApprovalRecord& record : page.items) items.push(view::approval(record, now));
  return page_value(std::move(items), page.next_cursor);
}

}  // namespace

Outcome<ApprovalRecord> own_approval(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  FERMATA_TRY(record, api.reader().find_approval(id));
  if (!record || record->account != call.who.account)
    return fail(ErrorCode::approval_not_found, "There is no approval `" + id + "`.");
  return *std::move(record);
}

void list_approvals(Api& api, Call call) {
  auto page = page_of(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

void get_approval(Api& api, Call call) {
  auto record = own_approval(api, call);
  if (!record) return api.fail(call, record.error());
  call.send_json(200, view::approval(*record, api.now()));
}

}  // namespace fermata::server::routes
