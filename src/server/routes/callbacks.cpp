#include "core/callback/view.h"
#include "front/run_query.h"
#include "server/routes/callback_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<DeliveryFilter> read_filter(const Call& call) {
  DeliveryFilter filter;
  filter.account = call.who.account;
  if (const std::string* run = front::find_value(call.query, "execution_id"))
    filter.run = RunId(*run);
  if (const std::string* state = front::find_value(call.query, "state")) {
    filter.state = delivery_state_of(*state);
    if (!filter.state) return front::bad_query("state", "pending, done, gone or dead is expected.");
  }
  return filter;
}

}  // namespace

void list_callbacks(Api& api, Call call) {
  auto filter = read_filter(call);
  if (!filter) return api.fail(call, filter.error());
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto page = api.reader().list_deliveries(*filter, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const Delivery& delivery : page->items) items.push(view::delivery(delivery));
  call.send_json(200, page_value(std::move(items), page->next_cursor));
}

void redeliver_callback(Api& api, Call call) {
  Redelivery wanted;
  wanted.account = call.who.account;
  wanted.delivery = call.variable(0);
  wanted.actor = call.who.actor;
  wanted.reply = [&api, call](Outcome<Delivery> done) {
    if (!done) return api.fail(call, done.error());
    call.send_json(202, view::delivery(*done));
  };
  if (!api.callbacks().redeliver(std::move(wanted)))
    api.fail(call, {ErrorCode::queue_full, "The engine's queue is full.", {}});
}

}  // namespace fermata::server::routes
