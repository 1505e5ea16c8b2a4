#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// A few connections that threads use in turn, opened when they are first needed.
class Pool {
 public:
  Pool(const Server& server, size_t most) : server_(server), left_(most) {}

  /// Asks over a connection of its own. What asks must not write: when the connection is lost on
  /// the way it is asked again, once, over a new one.
  template <class Ask>
  auto read(Ask ask) -> decltype(ask(std::declval<Connection&>())) {
    Lent lent(*this);
    FERMATA_TRY_VOID(lent.connection->ensure());
    auto answer = ask(*lent.connection);
    if (answer || lent.connection->alive()) return answer;
    FERMATA_TRY_VOID(lent.connection->ensure());
    return ask(*lent.connection);
  }

 private:
  struct Lent {
    explicit Lent(Pool& from) : pool(from), connection(from.take()) {}
    ~Lent() { pool.give(std::move(connection)); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Pool& pool;
    std::unique_ptr<Connection> connection;
  };
  std::unique_ptr<Connection> take();
  void give(std::unique_ptr<Connection> connection);

  const Server& server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t left_;  ///< that may still be made
  std::vector<std::unique_ptr<Connection>> free_;
};

}  // namespace fermata::postgres
