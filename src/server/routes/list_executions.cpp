#include <algorithm>

#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/run_sieve.h"

namespace fermata::server::routes {
namespace {

Value damages_value(const std::vector<Error>& damages) {
  Value out = Value::array();
  for (const Error& damage : damages)
    out.push(Value::object({{"code", name_of(damage.code)}, {"detail", damage.message}}));
  return out;
}

/// With `at`, the first places where it stands: {node, kind, attempt?, until?}.
Value item_of(Api& api, const RunSummary& summary) {
  constexpr size_t places_shown_max = 3;
  Value item = view::list_item(summary);
  Value at = Value::array();
  for (const Whereabouts::Place& place :
       api.hub().whereabouts().places(summary.account, {summary.started_at, summary.id.text()})) {
    if (at.size() == places_shown_max) break;
    Value one = Value::object({{"node", place.node}, {"kind", place.kind}});
    if (place.attempt > 0) one.set("attempt", place.attempt);
    bool past = place.kind == "failed" || place.kind == "unreadable";
    if (place.at) one.set(past ? "at" : "until", to_rfc3339(*place.at));
    at.push(std::move(one));
  }
  if (at.size() > 0) item.set("at", std::move(at));
  return item;
}

/// How many runs the filter selects, where that is counted as they change and need not be looked
/// up; nothing else.
Outcome<std::optional<uint64_t>> known_total(Api& api, const RunFilter& filter) {
  RunFilter plain;
  plain.account = filter.account;
  plain.statuses = filter.statuses;
  bool by_status_only = plain == filter;
  if (!by_status_only) return std::optional<uint64_t>{};
  FERMATA_TRY(counts, api.reader().counts(filter.account));
  uint64_t total = 0;
  for (const auto& [status, count] : counts) {
    bool wanted =
        filter.statuses.empty() ||
        std::find(filter.statuses.begin(), filter.statuses.end(), status) != filter.statuses.end();
    if (wanted) total += count;
  }
  return std::optional(total);
}

/// The same by looking, unless there are more than an offset could reach.
Outcome<std::optional<uint64_t>> counted_total(Api& api, const RunFilter& filter) {
  FERMATA_TRY(known, known_total(api, filter));
  if (known) return known;
  uint64_t total = 0;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list(filter, front::page_limit_max, cursor));
    total += page.items.size();
    cursor = page.next_cursor;
    if (total > front::page_offset_max) return std::optional<uint64_t>{};
  } while (!cursor.empty());
  return std::optional(total);
}

/// The page that begins after `offset` runs.
Outcome<RunPage> page_at(Api& api, const RunFilter& filter, RunOrder order, size_t offset,
                         size_t limit) {
  std::string cursor;
  while (offset > 0) {
    size_t step = std::min(offset, front::page_limit_max);
    FERMATA_TRY(passed, api.reader().list(filter, step, cursor, order));
    if (passed.next_cursor.empty()) return RunPage{};
    cursor = std::move(passed.next_cursor);
    offset -= step;
  }
  return api.reader().list(filter, limit, cursor, order);
}

/// Such a list goes on by cursor; what it comes to nobody has counted.
Outcome<Value> sieved(Api& api, const RunFilter& filter, const RunSieve& sieve, RunOrder order,
                      const front::Paging& paging) {
  if (paging.offset)
    return front::bad_query("offset", "With these filters a list goes on by cursor.");
  FERMATA_TRY(found, list_runs(api, filter, sieve, paging.limit, paging.cursor, order));
  Value items = Value::array();
  for (const RunSummary& summary : found.page.items) items.push(item_of(api, summary));
  Value page = page_value(std::move(items), found.page.next_cursor);
  if (!found.all) page.set("truncated", true);
  if (!found.page.damages.empty()) page.set("damaged", damages_value(found.page.damages));
  return page;
}

Outcome<Value> list(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_run_filter(call.query, call.who.account));
  FERMATA_TRY(sieve, read_run_sieve(call.query));
  FERMATA_TRY(order, front::read_run_order(call.query));
  FERMATA_TRY(paging, front::read_paging(call.query));
  if (!sieve.none()) return sieved(api, filter, sieve, order, paging);
  auto found = paging.offset ? page_at(api, filter, order, *paging.offset, paging.limit)
                             : api.reader().list(filter, paging.limit, paging.cursor, order);
  if (!found) return Failure{std::move(found).error()};
  Value items = Value::array();
  for (const RunSummary& summary : found->items) items.push(item_of(api, summary));
  Value page = page_value(std::move(items), found->next_cursor);
  auto total = paging.offset ? counted_total(api, filter) : known_total(api, filter);
  if (!total) return Failure{std::move(total).error()};
  if (*total) page.set("total", **total);
  if (!found->damages.empty()) page.set("damaged", damages_value(found->damages));
  return page;
}

}  // namespace

void list_executions(Api& api, Call call) {
  auto page = list(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
