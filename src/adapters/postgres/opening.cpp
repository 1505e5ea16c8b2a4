#include "adapters/postgres/opening.h"

#include <chrono>
#include <thread>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/schema.h"
#include "adapters/postgres/server_check.h"

namespace fermata::postgres {
namespace {

constexpr auto reach_pause = std::chrono::milliseconds(200);

}  // namespace

Server server_of(const PostgresOptions& options) {
  return {.url = options.url,
          .password = options.password,
          .schema = options.schema,
          .connect_timeout = options.connect_timeout,
          .statement_timeout = options.statement_timeout,
          .lock_timeout = options.lock_timeout,
          .tcp_user_timeout = options.tcp_user_timeout};
}

Outcome<void> reach(Connection& connection, Duration most) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point until = Clock::now() + std::chrono::milliseconds(most.ms);
  for (;;) {
    Outcome<void> ready = connection.ensure();
    bool later = !ready && ready.error().code == ErrorCode::store_unavailable;
    if (!later || Clock::now() >= until) return ready;
    std::this_thread::sleep_for(reach_pause);
  }
}

Outcome<std::optional<std::string>> setting_of(Connection& connection, const std::string& name) {
  Arguments asked;
  asked.text(name);
  FERMATA_TRY(rows, connection.ask("reading what is known of the store",
                                   "select value from settings where name = $1", asked));
  std::optional<std::string> found;
  if (rows.next()) found = std::string(rows.text(0));
  return found;
}

Outcome<void> put_setting(Connection& connection, const std::string& name,
                          const std::string& value) {
  Arguments put;
  put.text(name).text(value);
  return order(connection, "writing what is known of the store",
               "insert into settings (name, value) values ($1, $2) on conflict (name) do update "
               "set value = excluded.value",
               put);
}

Outcome<void> refuse_unfinished(Connection& connection, const std::string& schema) {
  FERMATA_TRY(token, setting_of(connection, "promotion"));
  if (!token) return {};
  FERMATA_TRY(from, setting_of(connection, "promotion_from"));
  return fail(ErrorCode::store_unavailable,
              "schema `" + schema + "` is being filled from " + from.value_or("another store") +
                  ", or that was cut off: run `fermata promote` there again, which finishes it; "
                  "until then that store is the truth unless it says that it has moved here");
}

}  // namespace fermata::postgres

namespace fermata {

using postgres::Connection;

Outcome<std::vector<std::string>> pending_migrations(PostgresOptions options) {
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  return postgres::pending_migrations(connection, options.schema);
}

Outcome<void> migrate_postgres(PostgresOptions options) {
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  FERMATA_TRY_VOID(postgres::check_server(connection, options.allow_unsafe));
  return postgres::migrate(connection, options.schema);
}

}  // namespace fermata
