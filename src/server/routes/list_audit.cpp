#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Value audit_value(const AuditEntry& entry) {
  return Value::object({{"sequence", entry.sequence},
                        {"at", to_rfc3339(entry.line.at)},
                        {"account_id", entry.line.account.text()},
                        {"actor", entry.line.actor},
                        {"action", entry.line.action},
                        {"subject", entry.line.subject},
                        {"reason", entry.line.reason},
                        {"details", entry.line.details},
                        {"prev_hash", entry.prev_hash},
                        {"hash", entry.hash}});
}

}  // namespace

void list_audit(Api& api, Call call) {
  auto filter = front::read_audit_filter(call.query, call.who.account);
  if (!filter) return api.fail(call, filter.error());
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto page = api.reader().audit(*filter, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const AuditEntry& entry : page->items) items.push(audit_value(entry));
  auto root = api.retention().audit_root(call.who.account);
  if (!root) return api.fail(call, root.error());
  Value answer = page_value(std::move(items), page->next_cursor);
  // Of a chain whose oldest lines were removed: the last of them, which the first one left names.
  if (root->sequence > 0)
    answer.set("root", Value::object({{"sequence", root->sequence}, {"hash", root->hash}}));
  call.send_json(200, answer);
}

}  // namespace fermata::server::routes
