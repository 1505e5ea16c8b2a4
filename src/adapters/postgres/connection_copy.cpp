#include <libpq-fe.h>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {
namespace {

std::string words_of(pg_conn* connection) {
  std::string words = PQerrorMessage(connection);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return words;
}

Failure<Error> copy_failure(pg_conn* connection, std::string_view doing) {
  return fail(ErrorCode::store_unavailable,
              "PostgreSQL failed while " + std::string(doing) + ": " + words_of(connection));
}

/// What is left of the answer; false when any of it is a failure.
bool drain(pg_conn* connection) {
  bool well = true;
  while (pg_result* result = PQgetResult(connection)) {
    ExecStatusType status = PQresultStatus(result);
    well = well && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
    PQclear(result);
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) return false;
  }
  return well;
}

}  // namespace

Outcome<void> Connection::copy_out(const std::string& sql,
                                   const std::function<Outcome<void>(std::string_view)>& take) {
  if (!alive()) return fail(ErrorCode::store_unavailable, "there is no connection");
  pg_result* begun = PQexec(connection_, sql.c_str());
  bool copies = PQresultStatus(begun) == PGRES_COPY_OUT;
  PQclear(begun);
  if (!copies) return copy_failure(connection_, "copying a table");
  for (;;) {
    char* piece = nullptr;
    int length = PQgetCopyData(connection_, &piece, 0);
    if (length == -1) break;
    if (length < 0) return copy_failure(connection_, "copying a table");
    Outcome<void> taken = take({piece, static_cast<size_t>(length)});
    PQfreemem(piece);
    if (!taken) {
      // What is left is of no use, and no other statement can be sent before it was read.
      close();
      return taken;
    }
  }
  if (!drain(connection_)) return copy_failure(connection_, "copying a table");
  return {};
}

Outcome<void> Connection::copy_in(const std::string& sql,
                                  const std::function<Outcome<std::string>()>& next) {
  if (!alive()) return fail(ErrorCode::store_unavailable, "there is no connection");
  pg_result* begun = PQexec(connection_, sql.c_str());
  bool copies = PQresultStatus(begun) == PGRES_COPY_IN;
  PQclear(begun);
  if (!copies) return copy_failure(connection_, "filling a table");
  for (;;) {
    Outcome<std::string> piece = next();
    if (!piece) {
      PQputCopyEnd(connection_, "what was to be copied cannot be read");
      drain(connection_);
      return Failure{std::move(piece).error()};
    }
    if (piece->empty()) break;
    if (PQputCopyData(connection_, piece->data(), static_cast<int>(piece->size())) != 1)
      return copy_failure(connection_, "filling a table");
  }
  if (PQputCopyEnd(connection_, nullptr) != 1 || !drain(connection_))
    return copy_failure(connection_, "filling a table");
  return {};
}

}  // namespace fermata::postgres
