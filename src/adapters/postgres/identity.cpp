#include "adapters/postgres/identity.h"

#include <algorithm>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/opening.h"

namespace fermata::postgres {
namespace {

/// Servers of Fermata that should find room in one PostgreSQL: the one that leads and its stand-in.
constexpr int64_t servers_expected = 2;

Outcome<int64_t> number_of(Connection& connection, const std::string& sql) {
  FERMATA_TRY(rows, connection.ask("reading the server's settings", sql));
  return rows.next() ? rows.integer(0) : 0;
}

}  // namespace

Outcome<Identity> identity_of(Connection& connection) {
  FERMATA_TRY(rows,
              connection.ask("looking which PostgreSQL this is",
                             "select system_identifier::text, ('x' || "
                             "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int "
                             "from pg_control_system()"));
  if (!rows.next())
    return fail(ErrorCode::store_unavailable, "PostgreSQL does not say which one it is");
  return Identity{std::string(rows.text(0)), static_cast<uint32_t>(rows.integer(1))};
}

Outcome<std::string> durability_of(Connection& connection) {
  FERMATA_TRY(rows,
              connection.ask("reading the server's settings",
                             "select current_setting('synchronous_standby_names') <> '' and "
                             "current_setting('synchronous_commit') not in ('local', 'off')"));
  return std::string(rows.next() && rows.flag(0) ? "synchronous" : "local");
}

Outcome<void> expect_own_system(Connection& connection, const std::string& schema, bool accept) {
  FERMATA_TRY(now, identity_of(connection));
  FERMATA_TRY(recorded, setting_of(connection, "system_identifier"));
  if (!recorded || *recorded == now.system || accept) return {};
  return fail(ErrorCode::data_locked,
              "schema `" + schema + "` was written on the PostgreSQL with system identifier " +
                  *recorded + ", and this one has " + now.system +
                  ": a copy, beside which the first may still be served. If this is the one that "
                  "goes on, start once with --accept-store");
}

Outcome<uint32_t> settle_epoch(Connection& connection) {
  FERMATA_TRY(now, identity_of(connection));
  FERMATA_TRY(system, setting_of(connection, "system_identifier"));
  FERMATA_TRY(timeline, setting_of(connection, "timeline"));
  FERMATA_TRY(kept, setting_of(connection, "epoch"));
  uint32_t epoch = kept ? static_cast<uint32_t>(std::stoul(*kept)) : 0;
  bool known = system == now.system && timeline == std::to_string(now.timeline);
  if (known) return epoch;
  // The first time there is nothing that could be forgotten.
  if (system) ++epoch;
  FERMATA_TRY_VOID(put_setting(connection, "system_identifier", now.system));
  FERMATA_TRY_VOID(put_setting(connection, "timeline", std::to_string(now.timeline)));
  FERMATA_TRY_VOID(put_setting(connection, "epoch", std::to_string(epoch)));
  return epoch;
}

Outcome<void> check_connections(Connection& connection, size_t needed,
                                const std::function<void(const std::string&)>& warn) {
  FERMATA_TRY(most, number_of(connection,
                              "select current_setting('max_connections')::int - "
                              "current_setting('superuser_reserved_connections')::int"));
  int64_t own = static_cast<int64_t>(needed);
  std::string room = "PostgreSQL has room for " + std::to_string(most) +
                     " connections (max_connections), and each server of Fermata uses up to " +
                     std::to_string(own);
  if (own > most)
    return fail(ErrorCode::invalid_setting,
                room + ": raise max_connections, or lower postgres_readers_max");
  if (own * servers_expected > most && warn)
    warn(room + ": a second one would not find enough of them");
  return {};
}

}  // namespace fermata::postgres
