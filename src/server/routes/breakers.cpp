#include "server/routes/common.h"
#include "server/routes/job_routes.h"
#include "server/routes/policy_routes.h"

/// The circuit breakers before whoever is asked outside (J-31).
namespace fermata::server::routes {

namespace {

Value breaker_value(const BreakerView& view) {
  return Value::object(
      {{"name", view.name},
       {"state", name_of(view.state)},
       {"failures", view.failures},
       {"episode", view.episode},
       {"probes", view.probes_used},
       {"probes_max", breaker::tickets},
       {"changes_at", view.changes_at ? Value(to_rfc3339(*view.changes_at)) : Value()},
       {"calls_under_way", view.under_way},
       {"calls_waiting", view.waiting},
       {"snapshot", view.snapshot ? Value(*view.snapshot) : Value()}});
}

}  // namespace

void list_breakers(Api& api, Call call) {
  visit_workers(api, std::move(call), [](Workers& workers, const Call& asked) {
    Value items = Value::array();
    for (const BreakerView& view : workers.breakers()) items.push(breaker_value(view));
    asked.send_json(200, Value::object({{"items", std::move(items)}}));
  });
}

void reset_breaker(Api& api, Call call) {
  visit_workers(api, std::move(call), [&api](Workers& workers, const Call& asked) {
    const std::string& name = asked.variable(0);
    if (!workers.reset_breaker(name))
      return api.fail(asked, {ErrorCode::breaker_not_found, "there is no breaker " + name, {}});
    for (const BreakerView& view : workers.breakers())
      if (view.name == name) return asked.send_json(200, breaker_value(view));
  });
}

}  // namespace fermata::server::routes
