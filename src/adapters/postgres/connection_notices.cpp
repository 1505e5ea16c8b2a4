#include <libpq-fe.h>

#include "adapters/postgres/connection.h"

/// What a session hears without asking, and whether it is one.
namespace fermata::postgres {

/// A pooler tells a process number of its own when it is connected to.
bool Connection::is_direct() {
  if (!alive()) return false;
  Reply reply = run("select pg_backend_pid()");
  return reply.trouble == Trouble::none && reply.rows.next() &&
         reply.rows.integer(0) == PQbackendPID(connection_);
}

int Connection::socket() const { return alive() ? PQsocket(connection_) : -1; }

bool Connection::take_notices() {
  if (connection_ == nullptr) return false;
  bool any = false;
  PQconsumeInput(connection_);
  while (PGnotify* notice = PQnotifies(connection_)) {
    PQfreemem(notice);
    any = true;
  }
  return any;
}

}  // namespace fermata::postgres
