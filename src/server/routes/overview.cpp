#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/overview_counts.h"
#include "server/routes/routes.h"
#include "server/routes/session_value.h"

namespace fermata::server::routes {
namespace {

/// A timer that is this much late is worth a word.
constexpr Duration late{5'000};

/// Pending waits, and those that should have gone on.
Outcome<Value> waits_value(Api& api, const AccountId& account) {
  WaitFilter filter;
  filter.account = account;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  FERMATA_TRY(pending, api.reader().list_waits(filter, 1, {}));
  filter.on_hold = false;
  filter.due_to = api.now() - late;
  FERMATA_TRY(overdue, api.reader().list_waits(filter, 1, {}));
  Value oldest;
  if (!overdue.items.empty() && overdue.items[0].wait.due)
    oldest = Value(to_rfc3339(*overdue.items[0].wait.due));
  return Value::object(
      {{"pending", pending.total}, {"overdue", overdue.total}, {"overdue_since", oldest}});
}

Outcome<uint64_t> letters_open(Api& api, const AccountId& account) {
  FERMATA_TRY(counts, api.dead_letters().count_dead_letters(account));
  uint64_t open = 0;
  for (const auto& [reason, count] : counts) open += count;
  return open;
}

Value milliseconds(std::optional<Duration> length) { return length ? Value(length->ms) : Value(); }

/// How late timers of the last hour were (U-21).
Value lateness_value(Api& api, const AccountId& account) {
  LengthCounts lateness = api.hub().measures().lateness(account, api.now());
  return Value::object({{"count", lateness.total()},
                        {"p50_ms", milliseconds(lateness.percentile(0.5))},
                        {"p99_ms", milliseconds(lateness.percentile(0.99))}});
}

/// What failed most in the last day, by workflow, node and code.
Value failures_value(Api& api, const AccountId& account) {
  constexpr size_t shown_max = 5;
  Value out = Value::array();
  for (const Measures::Cause& cause :
       api.hub().measures().causes(account, api.now() - Duration{24 * 3'600'000})) {
    if (out.size() == shown_max) break;
    out.push(Value::object({{"workflow_id", cause.workflow.text()},
                            {"node", cause.node.empty() ? Value() : Value(cause.node)},
                            {"code", cause.code},
                            {"count", cause.count},
                            {"first_at", to_rfc3339(cause.first_at)},
                            {"last_at", to_rfc3339(cause.last_at)}}));
  }
  return out;
}

/// `rates=1h`: 60 minutes; `rates=24h`: 96 quarters of an hour; null when not asked for.
Outcome<Value> rates_value(Api& api, const Call& call) {
  const std::string* asked = front::find_value(call.query, "rates");
  if (!asked) return Value();
  if (*asked != "1h" && *asked != "24h") return front::bad_query("rates", "1h or 24h is expected.");
  bool hour = *asked == "1h";
  Duration length{(hour ? 1 : 24) * 3'600'000}, step{hour ? 60'000 : 900'000};
  Value steps = Value::array();
  for (const Measures::Step& one :
       api.hub().measures().rates(call.who.account, api.now(), length, step))
    steps.push(Value::object({{"start", to_rfc3339(one.start)},
                              {"started", one.counted.started},
                              {"completed", one.counted.ended[0]},
                              {"failed", one.counted.failed()},
                              {"cancelled", one.counted.ended[2]},
                              {"resumed", one.counted.resumed}}));
  return Value::object({{"step_ms", step.ms}, {"steps", std::move(steps)}});
}

}  // namespace

Outcome<Value> counts_value(Api& api, const AccountId& account) {
  FERMATA_TRY(counts, api.reader().counts(account));
  FERMATA_TRY(waits, waits_value(api, account));
  FERMATA_TRY(letters, letters_open(api, account));
  Value runs = Value::object();
  for (auto status :
       {RunStatus::running, RunStatus::waiting, RunStatus::paused, RunStatus::completed,
        RunStatus::failed, RunStatus::cancelled, RunStatus::timed_out})
    runs.set(name_of(status), 0);
  for (const auto& [status, count] : counts) runs.set(name_of(status), count);
  return Value::object({{"now", to_rfc3339(api.now())},
                        {"executions", std::move(runs)},
                        {"waits", std::move(waits)},
                        {"dead_letters", letters}});
}

/// The numbers a first page shows.
void overview(Api& api, Call call) {
  auto rates = rates_value(api, call);
  if (!rates) return api.fail(call, rates.error());
  auto counts = counts_value(api, call.who.account);
  if (!counts) return api.fail(call, counts.error());
  auto up = std::chrono::steady_clock::now() - api.started_at();
  call.send_json(
      200, Value::object(
               {{"version", api.options().version},
                {"account_id", call.who.account.text()},
                {"role", name_of(call.who.role)},
                {"access", access_text(api.options().access.mode)},
                {"now", counts->get("now")},
                {"virtual_clock", api.options().test_clock.has_value()},
                {"uptime_ms", std::chrono::duration_cast<std::chrono::milliseconds>(up).count()},
                {"executions", counts->get("executions")},
                {"waits", counts->get("waits")},
                {"dead_letters", counts->get("dead_letters")},
                {"measured_since", to_rfc3339(api.hub().measures().since())},
                {"lateness", lateness_value(api, call.who.account)},
                {"failures", failures_value(api, call.who.account)},
                {"rates", *std::move(rates)}}));
}

}  // namespace fermata::server::routes
