#include "core/run/shown_values.h"
#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

struct HistoryPage {
  std::vector<Value> events;
  uint64_t next = 0;  ///< 0 on the last page
};

/// The cursor is the first sequence of the next page: sequences are never renumbered.
Outcome<HistoryPage> read_page(Api& api, const Call& call) {
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(cursor, front::read_number(call.query, "cursor"));
  FERMATA_TRY(after, front::read_number(call.query, "after"));
  uint64_t from = cursor ? *cursor : after ? *after + 1 : 1;
  if (from < 1) return front::bad_query("cursor", "Sequences begin at 1.");
  // From its start: which branch an event happened in, and under which definition, stands before
  // it.
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(events, view::history(own.run.history, own.definitions, from, paging.limit));
  uint64_t sequence = from;
  for (Value& event : events) event = view::with_references(std::move(event), sequence++);
  HistoryPage page{std::move(events), 0};
  uint64_t end = from + page.events.size();
  if (!page.events.empty() && end <= own.run.summary.last_sequence) page.next = end;
  return page;
}

}  // namespace

void get_history(Api& api, Call call) {
  auto page = read_page(api, call);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array(std::move(page->events));
  call.send_json(200, page_value(std::move(items), page->next ? std::to_string(page->next) : ""));
}

}  // namespace fermata::server::routes
