#include "adapters/postgres/connection.h"

#include <libpq-fe.h>

#include <vector>

#include "base/check.h"

namespace fermata::postgres {
namespace {

/// Above it a session forgets all of them: a text that differs every time is a mistake, and must
/// not fill the server's memory.
constexpr size_t statements_max = 500;

std::string milliseconds(Duration duration) { return std::to_string(duration.ms); }

std::string in_seconds(Duration duration) {
  return std::to_string(std::max<int64_t>(1, (duration.ms + 999) / 1000));
}

/// The server's and the library's words end with a line break.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

std::string quoted_name(const std::string& name) {
  std::string out = "\"";
  for (char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Trouble trouble_of(std::string_view state) {
  auto begins = [&](std::string_view lead) { return state.substr(0, lead.size()) == lead; };
  if (state == "40001" || state == "40P01" || state == "55P03" || state == "57014")
    return Trouble::again;
  if (state == "23505") return Trouble::taken;
  if (state == "25006" || begins("53") || begins("57P") || begins("08"))
    return Trouble::unavailable;
  return Trouble::refused;
}

}  // namespace

Outcome<std::string> address_of(const Server& server) {
  char* words = nullptr;
  PQconninfoOption* options = PQconninfoParse(server.url.c_str(), &words);
  PQfreemem(words);
  if (options == nullptr) {
    return fail(ErrorCode::invalid_setting,
                "store is no URL of PostgreSQL; write postgres://USER@HOST:PORT/DATABASE");
  }
  std::string host = "localhost", port, database;
  for (PQconninfoOption* one = options; one->keyword != nullptr; ++one) {
    if (one->val == nullptr) continue;
    std::string_view keyword = one->keyword;
    if (keyword == "host") host = one->val;
    if (keyword == "port") port = one->val;
    if (keyword == "dbname") database = one->val;
  }
  PQconninfoFree(options);
  return host + (port.empty() ? "" : ":" + port) + "/" + database;
}

Rows::Rows(pg_result* result) : result_(result, PQclear), count_(PQntuples(result)) {}

bool Rows::is_null(int column) const {
  check(result_ && at_ >= 0 && at_ < count_);
  return PQgetisnull(result_.get(), at_, column) != 0;
}

std::string_view Rows::blob(int column) const {
  check(result_ && at_ >= 0 && at_ < count_ && column < PQnfields(result_.get()));
  return {PQgetvalue(result_.get(), at_, column),
          static_cast<size_t>(PQgetlength(result_.get(), at_, column))};
}

int64_t Rows::integer(int column) const {
  std::string_view bytes = blob(column);
  if (bytes.empty()) return 0;
  check(bytes.size() <= 8);
  uint64_t value = (bytes[0] & 0x80) != 0 && bytes.size() > 1 ? UINT64_MAX : 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<int64_t>(value);
}

Connection::~Connection() { close(); }

void Connection::close() {
  if (connection_ != nullptr) PQfinish(connection_);
  connection_ = nullptr;
  names_.clear();
}

bool Connection::alive() const {
  return connection_ != nullptr && PQstatus(connection_) == CONNECTION_OK;
}

bool Connection::in_transaction() const {
  if (!alive()) return false;
  PGTransactionStatusType status = PQtransactionStatus(connection_);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

int Connection::server_version() const { return alive() ? PQserverVersion(connection_) : 0; }

Outcome<void> Connection::ensure() {
  if (alive()) return {};
  close();
  FERMATA_TRY(address, address_of(server_));
  std::string connect = in_seconds(server_.connect_timeout);
  std::string tcp = milliseconds(server_.tcp_user_timeout);
  std::vector<const char*> keys = {"connect_timeout",  "target_session_attrs", "tcp_user_timeout",
                                   "application_name", "client_encoding",      "dbname"};
  std::vector<const char*> values = {connect.c_str(), "read-write", tcp.c_str(),
                                     "fermata",       "UTF8",       server_.url.c_str()};
  if (!server_.password.empty()) {
    keys.push_back("password");
    values.push_back(server_.password.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectdbParams(keys.data(), values.data(), 1);
  if (alive()) return prepare_session();
  std::string words = connection_ ? one_line(PQerrorMessage(connection_)) : "no memory";
  close();
  return fail(ErrorCode::store_unavailable,
              "PostgreSQL at " + address + " cannot be reached: " + words);
}

/// One that stands still within a transaction must not keep others from leading, whom its locks
/// would hold off: PostgreSQL ends it. Scans of whole tables are made dear because a plan is kept
/// that was made while they were small; compiling a statement takes longer than running it.
Outcome<void> Connection::prepare_session() {
  PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
  Reply reply = script("set search_path to " + quoted_name(server_.schema) +
                       "; set statement_timeout to " + milliseconds(server_.statement_timeout) +
                       "; set idle_in_transaction_session_timeout to " +
                       milliseconds(server_.statement_timeout) + "; set lock_timeout to " +
                       milliseconds(server_.lock_timeout) +
                       "; set jit to off; set enable_seqscan to off; set bytea_output to hex");
  if (reply.trouble == Trouble::none && server_.on_timeline) {
    reply =
        run("select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int");
    if (reply.trouble == Trouble::none && reply.rows.next())
      server_.on_timeline(static_cast<uint32_t>(reply.rows.integer(0)));
  }
  if (reply.trouble == Trouble::none) return {};
  auto failed = failure("preparing a session", reply);
  close();
  return failed;
}

Reply Connection::reply_of(pg_result* result, bool sent) {
  Reply reply;
  ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
    last_trouble_ = Trouble::none;
    reply.rows = Rows(result);
    return reply;
  }
  const char* state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  reply.state = state ? state : "";
  reply.message = one_line(primary ? primary : PQerrorMessage(connection_));
  if (result != nullptr) PQclear(result);
  reply.trouble = reply.state.empty() ? Trouble::unavailable : trouble_of(reply.state);
  // An answer of the server says what happened. Without one, or when it goes down while it works,
  // the statement may have come to its end.
  if (!alive() && sent && reply.trouble != Trouble::refused) reply.trouble = Trouble::unknown;
  last_trouble_ = reply.trouble;
  return reply;
}

const std::string* Connection::name_of(std::string_view sql, const Arguments& arguments,
                                       Reply& reply) {
  if (auto known = names_.find(sql); known != names_.end()) return &known->second;
  if (names_.size() >= statements_max) {
    reply = script("deallocate all");
    if (reply.trouble != Trouble::none) return nullptr;
    names_.clear();
  }
  std::string text(sql), name = "s" + std::to_string(names_.size());
  Arguments::Raw raw = arguments.raw();
  std::vector<Oid> types(raw.types.begin(), raw.types.end());
  reply = reply_of(PQprepare(connection_, name.c_str(), text.c_str(),
                             static_cast<int>(types.size()), types.data()),
                   false);
  if (reply.trouble != Trouble::none) return nullptr;
  return &names_.emplace(std::move(text), std::move(name)).first->second;
}

Reply Connection::run(std::string_view sql, const Arguments& arguments) {
  Reply reply{Trouble::unavailable, "", "there is no connection", {}};
  if (!alive()) return reply;
  const std::string* name = name_of(sql, arguments, reply);
  if (name == nullptr) return reply;
  Arguments::Raw raw = arguments.raw();
  return reply_of(PQexecPrepared(connection_, name->c_str(), static_cast<int>(raw.values.size()),
                                 raw.values.data(), raw.lengths.data(), raw.formats.data(), 1),
                  true);
}

Outcome<Rows> Connection::ask(std::string_view doing, std::string_view sql,
                              const Arguments& arguments) {
  Reply reply = run(sql, arguments);
  if (reply.trouble != Trouble::none) return failure(doing, reply);
  return std::move(reply.rows);
}

Reply Connection::script(const std::string& sql) {
  if (!alive()) return {Trouble::unavailable, "", "there is no connection", {}};
  return reply_of(PQexec(connection_, sql.c_str()), true);
}

Failure<Error> Connection::failure(std::string_view doing, const Reply& reply) const {
  ErrorCode code = ErrorCode::store_unavailable;
  if (reply.trouble == Trouble::refused) code = ErrorCode::io_failed;
  std::string state = reply.state.empty() ? "" : " (SQLSTATE " + reply.state + ")";
  return fail(code, "PostgreSQL failed while " + std::string(doing) + ": " + reply.message + state);
}

}  // namespace fermata::postgres
