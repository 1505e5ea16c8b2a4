#include "core/run/wait_view.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

/// {items, total, next_cursor} of a filter.
Outcome<Value> page_of(Api& api, const Call& call, const WaitFilter& filter, bool alerts = false) {
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_waits(filter, paging.limit,
                                            {paging.cursor, paging.offset.value_or(0)}));
  Instant now = api.now();
  auto settings = api.account_book().accounts()->settings_of(call.who.account);
  int64_t alert_s = (settings ? *settings : AccountSettings()).waits.overdue_alert_s;
  Value items = Value::array();
  for (const WaitRecord& record : page.items) {
    Value item = view::wait(record, now);
    if (alerts) item.set("alert", item.get("overdue_s").as_integer() > alert_s);
    items.push(std::move(item));
  }
  Value answer = page_value(std::move(items), page.next_cursor);
  answer.set("total", page.total);
  return answer;
}

Outcome<Value> overdue(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_pending_filter(call.query, call.who.account, api.now()));
  FERMATA_TRY(older, front::read_number(call.query, "older_than_s"));
  constexpr uint64_t most_s = 1'000'000'000;
  if (older && *older > most_s)
    return front::bad_query("older_than_s", "At most " + std::to_string(most_s) + " is expected.");
  Instant before = api.now() - Duration{static_cast<int64_t>(older.value_or(0)) * 1000};
  if (!filter.due_to || *filter.due_to > before) filter.due_to = before;
  // What somebody holds is not late; what a switch of the account holds is (W-86).
  filter.unheld = true;
  return page_of(api, call, filter, true);
}

void answer_with(Api& api, const Call& call, const Outcome<Value>& page) {
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace

void list_waits(Api& api, Call call) {
  auto filter = front::read_wait_filter(call.query, call.who.account, api.now());
  if (!filter) return api.fail(call, filter.error());
  answer_with(api, call, page_of(api, call, *filter));
}

void list_pending_waits(Api& api, Call call) {
  auto filter = front::read_pending_filter(call.query, call.who.account, api.now());
  if (!filter) return api.fail(call, filter.error());
  answer_with(api, call, page_of(api, call, *filter));
}

void list_overdue_waits(Api& api, Call call) { answer_with(api, call, overdue(api, call)); }

}  // namespace fermata::server::routes
