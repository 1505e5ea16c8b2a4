#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/session_value.h"

namespace fermata::server::routes {
/// The numbers a first page shows.
void overview(Api& api, Call call) {
  auto counts = api.reader().counts(call.who.account);
  if (!counts) return api.fail(call, counts.error());
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
                {"executions", std::move(runs)}}));
}

}  // namespace fermata::server::routes
