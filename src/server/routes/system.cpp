#include "server/routes/look_routes.h"

namespace fermata::server::routes {

/// What the server is and what it was told (U-49).
void system_facts(Api& api, Call call) {
  const ApiOptions& options = api.options();
  auto up = std::chrono::steady_clock::now() - api.started_at();
  LengthCounts lateness = api.hub().measures().lateness(call.who.account, api.now());
  auto late = [&](double share) {
    auto length = lateness.percentile(share);
    return length ? Value(length->ms) : Value();
  };
  call.send_json(
      200,
      Value::object(
          {{"version", options.version},
           {"uptime_ms", std::chrono::duration_cast<std::chrono::milliseconds>(up).count()},
           {"now", to_rfc3339(api.now())},
           {"virtual_clock", options.test_clock.has_value()},
           {"tzdata", api.zones()->version()},
           // One process, one partition, in this version.
           {"partitions", 1},
           {"replicas", 1},
           {"store", options.store_facts ? options.store_facts() : Value::object()},
           {"lateness",
            Value::object(
                {{"count", lateness.total()}, {"p50_ms", late(0.5)}, {"p99_ms", late(0.99)}})},
           {"queue_depth", options.queue_depth ? options.queue_depth() : 0},
           {"configuration", options.configuration ? options.configuration() : Value::array()}}));
}

}  // namespace fermata::server::routes
