#include <algorithm>

#include "front/fields.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

/// Bulk operations under way and ended.
namespace fermata::server::routes {
namespace {

Outcome<BulkRecord> own_bulk(Api& api, const Call& call) {
  FERMATA_TRY(record, api.bulks().bulk(call.variable(0)));
  if (!record || record->account != call.who.account)
    return fail(ErrorCode::bulk_not_found,
                "There is no bulk operation `" + call.variable(0) + "`.");
  return *std::move(record);
}

Value bulk_value(const BulkRecord& record) {
  bool by_second = record.per_minute > 0 && record.per_minute % 60 == 0;
  return Value::object(
      {{"id", record.id},
       {"kind", record.kind},
       {"action", record.action},
       {"parameters", record.parameters},
       {"state", name_of(record.state)},
       {"matched", record.matched},
       {"processed", record.position},
       {"done", record.done},
       {"refused", record.refused},
       {"failed", record.failed},
       {"per_minute", record.per_minute > 0 ? Value(record.per_minute) : Value()},
       {"per_second", by_second ? Value(record.per_minute / 60) : Value()},
       {"reason", record.reason},
       {"created_by", record.actor},
       {"created_at", to_rfc3339(record.created_at)},
       {"ended_at", record.ended_at ? Value(to_rfc3339(*record.ended_at)) : Value()}});
}

/// What is bound to more than an id has the rest behind a space.
std::string_view id_of(const std::string& item) {
  return std::string_view(item).substr(0, item.find(' '));
}

Value result_value(const BulkResult& result) {
  return Value::object({{"id", id_of(result.item)},
                        {"result", result.failed ? "failed" : "refused"},
                        {"code", result.code},
                        {"message", result.message}});
}

/// What became of each thing of the selection, in its order.
Outcome<Value> items_value(Api& api, const Call& call) {
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(cursor, front::read_number(call.query, "cursor"));
  FERMATA_TRY(record, own_bulk(api, call));
  uint64_t from = cursor.value_or(0);
  FERMATA_TRY(ids, api.bulks().bulk_items(record.id, from, paging.limit));
  Value items = Value::array();
  auto result = std::lower_bound(
      record.results.begin(), record.results.end(), from,
      [](const BulkResult& known, uint64_t position) { return known.position < position; });
  // Of very many that were not acted on only the first are known one by one.
  bool cut = record.refused + record.failed > record.results.size();
  uint64_t known_until = cut ? record.results.back().position : record.position;
  for (uint64_t i = from; i < from + ids.size(); ++i) {
    if (result != record.results.end() && result->position == i) {
      items.push(result_value(*result++));
      continue;
    }
    const char* became = i >= record.position ? "pending" : i < known_until ? "done" : "not_kept";
    items.push(Value::object({{"id", id_of(ids[i - from])}, {"result", became}}));
  }
  uint64_t end = from + ids.size();
  return page_value(std::move(items), end < record.matched ? std::to_string(end) : "");
}

/// With the first of those that were not acted on.
Value whole_value(const BulkRecord& record) {
  constexpr size_t shown_max = 100;
  Value out = bulk_value(record);
  Value problems = Value::array();
  for (const BulkResult& result : record.results)
    if (problems.size() < shown_max) problems.push(result_value(result));
  out.set("problems", std::move(problems));
  return out;
}

}  // namespace

void get_bulk(Api& api, Call call) {
  auto record = own_bulk(api, call);
  if (!record) return api.fail(call, record.error());
  call.send_json(200, whole_value(*record));
}

void list_bulk_items(Api& api, Call call) {
  auto value = items_value(api, call);
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

void list_bulks(Api& api, Call call) {
  auto paging = front::read_paging(call.query);
  if (!paging) return api.fail(call, paging.error());
  auto page = api.bulks().bulks(call.who.account, paging->limit, paging->cursor);
  if (!page) return api.fail(call, page.error());
  Value items = Value::array();
  for (const BulkRecord& record : page->items) items.push(bulk_value(record));
  call.send_json(200, page_value(std::move(items), page->next_cursor));
}

/// Answered when the batch under way has ended. One that has ended stays as it is.
void stop_bulk(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto record = own_bulk(api, call);
  if (!record) return api.fail(call, record.error());
  AuditLine line = api.audit(call, "bulk.stop", record->id, std::move(reason));
  bool asked = api.bulk().stop(record->id, line, [call](const BulkRecord& ended) {
    call.send_json(200, whole_value(ended));
  });
  if (!asked) get_bulk(api, std::move(call));
}

}  // namespace fermata::server::routes
