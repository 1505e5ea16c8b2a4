#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/postgres/arguments.h"
#include "base/error.h"
#include "base/time.h"

struct pg_conn;
struct pg_result;

namespace fermata::postgres {

/// Where the database is, and how long it is waited for (C-16).
struct Server {
  std::string url;       ///< postgres://user@h1,h2/database?…; what it says goes before the rest
  std::string password;  ///< in place of one in the URL; empty for none
  std::string schema = "fermata";
  Duration connect_timeout{3'000};
  Duration statement_timeout{10'000};
  Duration lock_timeout{2'000};
  Duration tcp_user_timeout{5'000};
  /// Told the timeline of the server after every connecting, where somebody wants to know.
  std::function<void(uint32_t timeline)> on_timeline{};
};
/// Hosts and database, for messages: never a user or a password. Fails with invalid_setting for
/// what is no URL of PostgreSQL, without repeating it.
Outcome<std::string> address_of(const Server& server);

/// What came of a statement (C-15).
enum class Trouble : uint8_t {
  none,
  again,        ///< nothing happened; the same may succeed at once
  taken,        ///< nothing happened: something with this key is there by now
  unavailable,  ///< surely nothing happened; may succeed later
  unknown,      ///< the connection was lost after it was sent
  refused,      ///< nothing happened: the database is there and does not take this
};

/// Rows of an answer, read one after the other as those of a cursor: `next` before the first.
class Rows {
 public:
  Rows() = default;
  explicit Rows(pg_result* result);
  bool next() { return ++at_ < count_; }
  size_t count() const { return static_cast<size_t>(count_); }
  bool is_null(int column) const;
  /// Of any of PostgreSQL's integers or a boolean; 0 for null. `sum` of bigint is none of these:
  /// cast it.
  int64_t integer(int column) const;
  uint64_t natural(int column) const { return static_cast<uint64_t>(integer(column)); }
  bool flag(int column) const { return integer(column) != 0; }
  /// Both are the bytes as they are, empty for null; valid as long as a copy of the rows lives.
  std::string_view text(int column) const { return blob(column); }
  std::string_view blob(int column) const;

 private:
  std::shared_ptr<pg_result> result_;
  int at_ = -1;
  int count_ = 0;
};

struct Reply {
  Trouble trouble = Trouble::none;
  std::string state;    ///< SQLSTATE, empty when it did not come to that
  std::string message;  ///< of the server
  Rows rows;
};

/// One session, for one thread at a time. Statements are prepared when they are first used and
/// known by their text, which should be one of few.
class Connection {
 public:
  explicit Connection(const Server& server) : server_(server) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Connects unless it is; a lost connection is made again.
  Outcome<void> ensure();
  bool alive() const;
  /// Parameters and answer in binary.
  Reply run(std::string_view sql, const Arguments& arguments = {});
  /// The same where any trouble is a failure: `doing` says of what ("reading a run").
  Outcome<Rows> ask(std::string_view doing, std::string_view sql, const Arguments& arguments = {});
  /// Several statements without parameters, one transaction unless they say otherwise.
  Reply script(const std::string& sql);
  Failure<Error> failure(std::string_view doing, const Reply& reply) const;
  /// Shows what `copy … to stdout` gives, piece by piece.
  Outcome<void> copy_out(const std::string& sql,
                         const std::function<Outcome<void>(std::string_view)>& take);
  /// Sends what `next` gives to `copy … from stdin`, until it gives an empty piece.
  Outcome<void> copy_in(const std::string& sql, const std::function<Outcome<std::string>()>& next);
  /// True between BEGIN and its end, also when it failed.
  bool in_transaction() const;
  void close();
  /// 150003 for 15.3; 0 without a connection.
  int server_version() const;
  /// Whether this is a session of the server itself, in which locks and notices hold, and not one
  /// that a pooler lends.
  bool is_direct();
  /// What becomes readable when a notice comes; -1 without a connection.
  int socket() const;
  /// Takes what has come of the channels that this session listens to; true when there was any.
  bool take_notices();
  /// Of the statement before.
  Trouble last_trouble() const { return last_trouble_; }

 private:
  Reply reply_of(pg_result* result, bool sent);
  Outcome<void> prepare_session();
  const std::string* name_of(std::string_view sql, const Arguments& arguments, Reply& reply);

  const Server& server_;
  pg_conn* connection_ = nullptr;
  Trouble last_trouble_ = Trouble::none;
  std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace fermata::postgres
