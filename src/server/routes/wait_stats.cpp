#include "front/run_query.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

Value active_of(const WaitTally& tally) {
  uint64_t total = 0;
  std::map<std::string, uint64_t> types;
  for (const char* type : {"fixed_time", "until_date", "until_time", "for_event"}) types[type] = 0;
  for (const WaitTally::Pending& one : tally.pending) {
    types[one.type] += one.waits;
    total += one.waits;
  }
  Value by_type = Value::object();
  for (const auto& [type, waits] : types) by_type.set(type, waits);
  return Value::object({{"total", total}, {"by_type", std::move(by_type)}});
}

uint64_t held_in(const WaitTally& tally, std::string_view reason) {
  uint64_t held = 0;
  for (const WaitTally::Pending& one : tally.pending)
    if (!one.hold.empty() && (reason.empty() || one.hold == reason)) held += one.waits;
  return held;
}

/// Of those that went on; the cancelled ones say nothing of how long one waits.
Value average_of(const WaitTally& tally) {
  struct Sum {
    uint64_t waits = 0;
    int64_t ms = 0;
  };
  std::map<std::string, Sum> sums;
  for (const WaitTally::Ended& one : tally.ended) {
    if (one.status != WaitStatus::resumed && one.status != WaitStatus::timeout) continue;
    sums[one.type].waits += one.waits;
    sums[one.type].ms += one.waited_ms;
  }
  Value out = Value::object();
  for (const auto& [type, sum] : sums)
    out.set(type, static_cast<double>(sum.ms) / 1e3 / static_cast<double>(sum.waits));
  return out;
}

/// Waits that went on in the last hour, and in each of the last 24.
Value resumed_of(Api& api, const AccountId& account, Instant now) {
  constexpr Duration hour{3'600'000}, minute{60'000};
  const Measures& measures = api.hub().measures();
  uint64_t last = 0;
  for (const Measures::Step& step : measures.rates(account, now, hour, minute))
    last += step.counted.resumed;
  Value hours = Value::array();
  for (const Measures::Step& step : measures.rates(account, now, Duration{24 * hour.ms}, hour))
    hours.push(
        Value::object({{"start", to_rfc3339(step.start)}, {"resumed", step.counted.resumed}}));
  return Value::object({{"last_hour", last},
                        {"hours", std::move(hours)},
                        {"measured_since", to_rfc3339(measures.since())}});
}

Outcome<Value> stats_of(Api& api, const Call& call) {
  Instant now = api.now();
  const std::string* workflow = front::find_value(call.query, "workflow_id");
  WorkflowId wanted(workflow ? *workflow : "");
  FERMATA_TRY(tally, api.reader().wait_tally(call.who.account, wanted, now));
  WaitFilter late;
  late.account = call.who.account;
  late.workflow = wanted;
  late.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  late.unheld = true;
  late.due_to = now;
  FERMATA_TRY(overdue, api.reader().list_waits(late, 1, {}));
  int64_t oldest_s = 0;
  if (!overdue.items.empty()) oldest_s = (now - due_or_never(overdue.items[0].wait)).ms / 1'000;
  Value by_event_type = Value::object();
  uint64_t listeners = 0;
  for (const auto& [type, count] : tally.listeners) {
    by_event_type.set(type, count);
    listeners += count;
  }
  int64_t listener_s =
      tally.oldest_listener ? std::max<int64_t>(0, (now - *tally.oldest_listener).ms / 1'000) : 0;
  return Value::object(
      {{"as_of", to_rfc3339(now)},
       {"tzdata", api.zones()->version()},
       {"active", active_of(tally)},
       {"opened", Value::object({{"last_hour", tally.opened_last_hour},
                                 {"last_24h", tally.opened_last_day}})},
       {"upcoming",
        Value::object({{"next_hour", tally.due_next_hour}, {"next_24h", tally.due_next_day}})},
       {"resumed", resumed_of(api, call.who.account, now)},
       {"average_duration_s", average_of(tally)},
       {"overdue", Value::object({{"count", overdue.total}, {"oldest_s", oldest_s}})},
       {"listeners", Value::object({{"active", listeners},
                                    {"oldest_s", listener_s},
                                    {"by_event_type", std::move(by_event_type)}})},
       {"on_hold", held_in(tally, "")},
       {"delayed", held_in(tally, held_by_limit)}});
}

}  // namespace

void wait_stats(Api& api, Call call) {
  auto stats = stats_of(api, call);
  if (!stats) return api.fail(call, stats.error());
  call.send_json(200, *stats);
}

}  // namespace fermata::server::routes
