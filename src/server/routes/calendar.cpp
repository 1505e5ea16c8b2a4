#include <map>

#include "front/wait_calendar.h"
#include "server/routes/look_routes.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

/// Occurrences of one schedule that a calendar counts: one that fires each second fills a day with
/// 86,400, and nobody reads those one by one.
constexpr size_t occurrences_max = 10'000;
constexpr size_t schedules_max = 1'000;

using Buckets = std::map<Instant, std::map<std::string, uint64_t>>;

struct Kinds {
  bool waits = true;
  bool timeouts = true;
  bool schedules = true;
  bool retries = true;
  bool deadlines = true;
  bool approvals = true;
  bool any_of_agenda() const { return retries || deadlines || approvals; }
  bool has(Agenda::Kind kind) const {
    if (kind == Agenda::Kind::retry) return retries;
    return kind == Agenda::Kind::deadline ? deadlines : approvals;
  }
};

/// `kinds`: some of them with commas; all when absent.
Outcome<Kinds> kinds_of(const Call& call) {
  const std::string* asked = front::find_value(call.query, "kinds");
  if (!asked) return Kinds{};
  Kinds kinds{false, false, false, false, false, false};
  std::string_view rest = *asked;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (one == "wait")
      kinds.waits = true;
    else if (one == "timeout")
      kinds.timeouts = true;
    else if (one == "schedule")
      kinds.schedules = true;
    else if (one == "retry")
      kinds.retries = true;
    else if (one == "deadline")
      kinds.deadlines = true;
    else if (one == "approval")
      kinds.approvals = true;
    else
      return front::bad_query(
          "kinds", "Some of wait, timeout, schedule, retry, deadline and approval are expected.");
  }
  return kinds;
}

Outcome<void> add_waits(Api& api, const front::CalendarRequest& request, const Kinds& kinds,
                        Buckets& buckets) {
  FERMATA_TRY(slots, api.reader().wait_slots(request.filter));
  for (const WaitSlot& slot : slots) {
    bool timeout = slot.type == "for_event";
    if (timeout ? !kinds.timeouts : !kinds.waits) continue;
    buckets[front::bucket_of(slot.start, request)][timeout ? "timeout" : "wait"] += slot.waits;
  }
  return {};
}

/// False when a schedule fires more often than is counted.
Outcome<bool> add_schedule(Api& api, const schedule::ScheduleSummary& summary,
                           const front::CalendarRequest& request, Buckets& buckets) {
  FERMATA_TRY(schedule, stored_schedule(api, summary.key()));
  if (!schedule.exists() || !schedule.next) return true;
  FERMATA_TRY(rule, schedule::Rule::of(schedule.spec, schedule.created_at, *api.zones()));
  // What it expects next may be late; what comes after goes by the rule.
  std::optional<Instant> at = schedule.next;
  if (*at < *request.filter.due_from) at = rule.next(*request.filter.due_from - Duration{1});
  for (size_t counted = 0; at && *at < *request.filter.due_to; at = rule.next(*at)) {
    if (++counted > occurrences_max) return false;
    ++buckets[front::bucket_of(*at, request)]["schedule"];
  }
  return true;
}

/// The same for all of them.
Outcome<bool> add_schedules(Api& api, const front::CalendarRequest& request, Buckets& buckets) {
  ScheduleFilter filter{.account = request.filter.account, .status = schedule::Status::active};
  FERMATA_TRY(page, api.reader().list_schedules(filter, schedules_max, ""));
  bool whole = page.next_cursor.empty();
  for (const schedule::ScheduleSummary& summary : page.items) {
    FERMATA_TRY(all, add_schedule(api, summary, request, buckets));
    whole = whole && all;
  }
  return whole;
}

/// False when something is left out.
bool add_agenda(Api& api, const front::CalendarRequest& request, const Kinds& kinds,
                Buckets& buckets) {
  Agenda::Seen seen = api.hub().agenda().between(request.filter.account, *request.filter.due_from,
                                                 *request.filter.due_to);
  for (const Agenda::Due& due : seen.dues)
    if (kinds.has(due.kind))
      ++buckets[front::bucket_of(due.at, request)][std::string(name_of(due.kind))];
  return seen.all;
}

Value buckets_value(const Buckets& buckets) {
  Value list = Value::array();
  for (const auto& [start, kinds] : buckets) {
    uint64_t total = 0;
    Value by_kind = Value::object();
    for (const auto& [named, count] : kinds) {
      total += count;
      by_kind.set(named, count);
    }
    list.push(Value::object(
        {{"start", to_rfc3339(start)}, {"total", total}, {"by_kind", std::move(by_kind)}}));
  }
  return list;
}

Outcome<Value> calendar_of(Api& api, const Call& call) {
  FERMATA_TRY(request, front::read_calendar(call.query, call.who.account, *api.zones(), api.now()));
  FERMATA_TRY(kinds, kinds_of(call));
  Buckets buckets;
  if (kinds.waits || kinds.timeouts) FERMATA_TRY_VOID(add_waits(api, request, kinds, buckets));
  bool whole = true;
  if (kinds.schedules) {
    FERMATA_TRY(all, add_schedules(api, request, buckets));
    whole = all;
  }
  if (kinds.any_of_agenda()) whole = add_agenda(api, request, kinds, buckets) && whole;
  return Value::object(
      {{"zone", request.zone_name}, {"truncated", !whole}, {"buckets", buckets_value(buckets)}});
}

}  // namespace

void calendar(Api& api, Call call) {
  auto answer = calendar_of(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
