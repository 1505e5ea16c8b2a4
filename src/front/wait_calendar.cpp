#include "front/wait_calendar.h"

#include <map>

#include "front/wait_query.h"

namespace fermata::front {
namespace {

constexpr int64_t hour_ms = 3'600'000;
constexpr int64_t day_ms = 24 * hour_ms;

}  // namespace

Instant bucket_of(Instant at, const CalendarRequest& request) {
  LocalTime local = request.zone->local_at(at);
  if (!request.by_day) return at - Duration{local.ms_of_day % hour_ms};
  return request.zone->instant_of({local.date, 0});
}

Outcome<CalendarRequest> read_calendar(const NamedValues& query, const AccountId& account,
                                       const ZoneTable& zones, Instant now) {
  CalendarRequest request;
  NamedValues filters;
  for (const auto& [name, value] : query) {
    if (name == "from") filters.emplace_back("due_from", value);
    if (name == "to") filters.emplace_back("due_to", value);
    if (name == "workflow_id" || name == "wait_type") filters.emplace_back(name, value);
  }
  FERMATA_TRY(filter, read_pending_filter(filters, account, now));
  request.filter = std::move(filter);
  // What is held does not resume by itself.
  request.filter.on_hold = false;
  if (!request.filter.due_from) request.filter.due_from = now;
  if (!request.filter.due_to)
    request.filter.due_to = *request.filter.due_from + Duration{7 * day_ms};
  int64_t length = (*request.filter.due_to - *request.filter.due_from).ms;
  if (length <= 0) return bad_query("to", "It must be after `from`.");
  if (length > calendar_days_max * day_ms)
    return bad_query("to",
                     "At most " + std::to_string(calendar_days_max) + " days are shown at once.");
  const std::string* bucket = find_value(query, "bucket");
  if (bucket && *bucket != "hour" && *bucket != "day")
    return bad_query("bucket", "`hour` or `day` is expected.");
  request.by_day = bucket && *bucket == "day";
  const std::string* zone = find_value(query, "zone");
  request.zone_name = zone ? *zone : "UTC";
  request.zone = zones.find(request.zone_name);
  if (!request.zone)
    return fail(ErrorCode::unknown_timezone, zones.refusal(request.zone_name),
                {{"unknown_timezone", "zone", zones.refusal(request.zone_name), {}}});
  return request;
}

Value calendar_value(const CalendarRequest& request, const std::vector<WaitSlot>& slots) {
  std::map<Instant, std::map<std::string, uint64_t>> buckets;
  for (const WaitSlot& slot : slots)
    buckets[bucket_of(slot.start, request)][slot.type] += slot.waits;
  Value list = Value::array();
  for (const auto& [start, types] : buckets) {
    uint64_t total = 0, timeouts = 0;
    Value by_type = Value::object();
    for (const auto& [type, waits] : types) {
      total += waits;
      if (type == "for_event") timeouts = waits;
      by_type.set(type, waits);
    }
    list.push(Value::object({{"start", to_rfc3339(start)},
                             {"local_start", to_text(request.zone->local_at(start))},
                             {"total", total},
                             {"by_type", std::move(by_type)},
                             {"timeouts", timeouts}}));
  }
  return Value::object({{"zone", request.zone_name}, {"buckets", std::move(list)}});
}

}  // namespace fermata::front
