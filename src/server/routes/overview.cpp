#include "server/routes/common.h"
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

}  // namespace

/// The numbers a first page shows.
void overview(Api& api, Call call) {
  auto counts = api.reader().counts(call.who.account);
  if (!counts) return api.fail(call, counts.error());
  auto waits = waits_value(api, call.who.account);
  if (!waits) return api.fail(call, waits.error());
  auto letters = letters_open(api, call.who.account);
  if (!letters) return api.fail(call, letters.error());
  Value runs = Value::object();
  for (auto status :
       {RunStatus::running, RunStatus::waiting, RunStatus::paused, RunStatus::completed,
        RunStatus::failed, RunStatus::cancelled, RunStatus::timed_out})
    runs.set(name_of(status), 0);
  for (const auto& [status, count] : *counts) runs.set(name_of(status), count);
  auto up = std::chrono::steady_clock::now() - api.started_at();
  call.send_json(
      200, Value::object(
               {{"version", api.options().version},
                {"account_id", call.who.account.text()},
                {"role", name_of(call.who.role)},
                {"access", access_text(api.options().access.mode)},
                {"now", to_rfc3339(api.now())},
                {"virtual_clock", api.options().test_clock.has_value()},
                {"uptime_ms", std::chrono::duration_cast<std::chrono::milliseconds>(up).count()},
                {"executions", std::move(runs)},
                {"waits", *std::move(waits)},
                {"dead_letters", *letters}}));
}

}  // namespace fermata::server::routes
