#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adapters/redis/redis_address.h"
#include "base/time.h"

struct redisContext;

namespace fermata {

/// What Redis says to one command.
struct RedisReply {
  enum class Kind : uint8_t { nil, text, integer, list, error };
  Kind kind = Kind::nil;
  std::string text{};  ///< also of an error
  int64_t integer = 0;
  std::vector<RedisReply> items{};

  bool is_error() const { return kind == Kind::error; }
  bool is_text(std::string_view expected) const { return kind == Kind::text && text == expected; }
};

using RedisCommand = std::vector<std::string>;

/// One connection. Blocks, for at most its time limit per answer. Used by one thread at a time.
class RedisConnection {
 public:
  /// Connects, shows who we are and chooses the database. Fails with io_failed, naming the place.
  static Outcome<RedisConnection> open(const RedisAddress& address, Duration timeout);
  RedisConnection(RedisConnection&&) noexcept;
  RedisConnection& operator=(RedisConnection&&) noexcept;
  ~RedisConnection();

  /// Sends all of them, then reads as many answers. After a failure (io_failed) the connection is
  /// of no use any more: nobody knows which of them were done.
  Outcome<std::vector<RedisReply>> run(std::span<const RedisCommand> commands);
  Outcome<RedisReply> run(const RedisCommand& command);

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  using Context = std::unique_ptr<redisContext, Close>;
  RedisConnection(Context context, std::string place);
  static Outcome<RedisConnection> dial(const RedisAddress::Place& place, Duration timeout);
  Outcome<void> introduce(const RedisAddress& address);

  Context context_;
  std::string place_;
};

}  // namespace fermata
