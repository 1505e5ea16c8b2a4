#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

Value replica_value(const Replica& one, const std::string& own_id, const std::string& settings) {
  return Value::object({{"id", one.id},
                        {"name", one.name},
                        {"role", one.role},
                        {"version", one.version},
                        {"formats", one.formats},
                        {"settings", one.settings},
                        {"settings_differ", one.settings != settings},
                        {"clock_skew_ms", one.skew_ms ? Value(*one.skew_ms) : Value()},
                        {"started_at", to_rfc3339(one.started_at)},
                        {"seen_at", to_rfc3339(one.seen_at)},
                        {"alive", one.lives},
                        {"leads", one.id == own_id}});
}

}  // namespace

/// The servers on this store (C-10, C-100). Whoever answers leads.
void cluster(Api& api, Call call) {
  Value items = Value::array();
  Replicas* replicas = api.options().replicas;
  if (replicas != nullptr) {
    auto all = replicas->replicas();
    if (!all) return api.fail(call, all.error());
    std::string own_id = replicas->own_id(), settings;
    for (const Replica& one : *all)
      if (one.id == own_id) settings = one.settings;
    for (const Replica& one : *all) items.push(replica_value(one, own_id, settings));
  }
  call.send_json(200,
                 Value::object({{"shared", replicas != nullptr}, {"items", std::move(items)}}));
}

}  // namespace fermata::server::routes
