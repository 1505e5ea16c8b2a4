#include "core/run/wait_view.h"
#include "front/event_request.h"
#include "front/wait_query.h"
#include "server/routes/event_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> event_page(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_signal_filter(call.query, call.who.account));
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_signals(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const SignalRecord& record : page.items) items.push(event_value(record));
  return page_value(std::move(items), page.next_cursor);
}

/// One entry for each listener that is active, with its age and the wait it belongs to.
void add_listeners(const WaitRecord& record, Instant now, Value& items) {
  const Wait& wait = record.wait;
  Value listeners = listeners_value(wait);
  for (size_t i = 0; i < wait.listeners.size(); ++i) {
    if (wait.listeners[i].status != ListenerStatus::active) continue;
    Value item = listeners.items()[i];
    item.set("wait_id", wait.id);
    item.set("execution_id", record.run.text());
    item.set("workflow_id", record.workflow.text());
    item.set("step_id", wait.step);
    item.set("occurrence", wait.occurrence);
    item.set("contact_id", record.contact_id.empty() ? Value() : Value(record.contact_id));
    item.set("created_at", to_rfc3339(wait.reached_at));
    item.set("age_s", (now - wait.reached_at).ms / 1000);
    items.push(std::move(item));
  }
}

Outcome<Value> listener_page(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_pending_filter(call.query, call.who.account, api.now()));
  filter.type = "for_event";
  filter.statuses = {WaitStatus::waiting};
  filter.on_hold = false;
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_waits(filter, paging.limit, {paging.cursor, 0}));
  Value items = Value::array();
  for (const WaitRecord& record : page.items) add_listeners(record, api.now(), items);
  return page_value(std::move(items), page.next_cursor);
}

void answer_page(Api& api, const Call& call, const Outcome<Value>& page) {
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace

Value event_value(const SignalRecord& record) {
  Value out = shown_signal(record.signal);
  out.set("phone", record.signal.phone.empty() ? Value() : Value(record.signal.phone));
  out.set("email", record.signal.email.empty() ? Value() : Value(record.signal.email));
  out.set("expires_at", to_rfc3339(record.expires_at));
  const SignalReach reach = whole_reach(record);
  auto list = [](const std::vector<Value>& items) {
    return Value::array({items.begin(), items.end()});
  };
  out.set("matched", Value::object({{"goals", list(reach.goals)},
                                    {"waits", list(reach.waits)},
                                    {"triggers", list(reach.triggers)}}));
  out.set("matched_total", reach.total);
  out.set("ignored", list(reach.ignored));
  Value warnings = Value::array();
  for (const std::string& warning : reach.warnings) warnings.push(warning);
  out.set("warnings", std::move(warnings));
  return out;
}

void list_events(Api& api, Call call) { answer_page(api, call, event_page(api, call)); }

void list_listeners(Api& api, Call call) { answer_page(api, call, listener_page(api, call)); }

void get_event(Api& api, Call call) {
  auto found = api.reader().find_signal({call.who.account, call.variable(0)});
  if (!found) return api.fail(call, found.error());
  if (!*found)
    return api.fail(
        call, {ErrorCode::event_not_found, "There is no event `" + call.variable(0) + "`.", {}});
  call.send_json(200, event_value(**found));
}

}  // namespace fermata::server::routes
