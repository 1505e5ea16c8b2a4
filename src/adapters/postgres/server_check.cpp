#include "adapters/postgres/server_check.h"

namespace fermata::postgres {
namespace {

constexpr int version_least = 140000;

Outcome<std::string> shown(Connection& connection, const std::string& name) {
  FERMATA_TRY(rows, connection.ask("reading the server's settings", "select current_setting($1)",
                                   Arguments().text(name)));
  return std::string(rows.next() ? rows.text(0) : "");
}

/// Settings under which the server answers before what it answers is safe.
struct Danger {
  const char* name;
  const char* bad;
  const char* why;
};
constexpr Danger dangers[] = {
    {"fsync", "off", "after a crash of the machine the whole database may be damaged"},
    {"full_page_writes", "off", "a page that was half written in a crash stays damaged"},
    {"synchronous_commit", "off", "commits that were answered may be gone after a crash"}};

}  // namespace

Outcome<void> check_server(Connection& connection, bool allow_unsafe) {
  int version = connection.server_version();
  if (version < version_least)
    return fail(ErrorCode::invalid_setting, "PostgreSQL is of version " +
                                                std::to_string(version / 10000) +
                                                "; statements of this program need 14 or newer");
  FERMATA_TRY(encoding, shown(connection, "server_encoding"));
  if (encoding != "UTF8")
    return fail(ErrorCode::invalid_setting,
                "the database is encoded as " + encoding +
                    ": not every text can be stored in it; create it with ENCODING 'UTF8'");
  if (allow_unsafe) return {};
  for (const Danger& danger : dangers) {
    FERMATA_TRY(value, shown(connection, danger.name));
    if (value != danger.bad) continue;
    return fail(ErrorCode::invalid_setting,
                std::string("PostgreSQL has ") + danger.name + " = " + value + ": " + danger.why +
                    "; switch it on, or allow it with postgres_allow_unsafe = true");
  }
  return {};
}

}  // namespace fermata::postgres
