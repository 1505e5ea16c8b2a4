#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "adapters/redis/redis_connection.h"
#include "base/random.h"

namespace fermata {

struct RedisOptions {
  RedisAddress address;
  std::string prefix{};             ///< before every key; setting redis.prefix
  std::string cluster = "fermata";  ///< whose index it is; setting redis.cluster
  bool unsafe_allowed = false;      ///< redis.checks = warn
  Duration command_timeout{500};
  /// Told what is wrong and when it is over (empty text), on the thread that met it.
  std::function<void(const std::string&)> on_trouble{};
  std::function<void(const std::string&)> on_warning{};  ///< of what is allowed and not safe
};

/// A Lua script, known to Redis by its hash once it was loaded. Names all its keys in KEYS and
/// touches few members (C-30).
struct RedisScript {
  std::string_view text;
};
struct RedisArguments {
  std::vector<std::string> keys{};
  std::vector<std::string> values{};
};

/// A way to Redis that mends itself. Whoever asks while it is broken is told so at once: after a
/// failure nothing is tried for 0.2 s, doubling to 10 s, and after 5 failures in a row not for 2 s
/// at least (C-7, C-30). Used by one thread at a time; `is_away` from any.
class RedisLink {
 public:
  static constexpr Duration retry_first{200};
  static constexpr Duration retry_max{10'000};
  static constexpr int failures_to_open = 5;
  static constexpr Duration open_for{2'000};

  explicit RedisLink(RedisOptions options);

  /// Connects, if need be, and looks at how Redis is set up. Fails with io_failed when it cannot be
  /// reached, with invalid_setting when it is not safe to use.
  Outcome<void> connect();
  /// Fails with io_failed; then nobody knows which of the commands were done.
  Outcome<std::vector<RedisReply>> run(std::span<const RedisCommand> commands);
  Outcome<RedisReply> run(const RedisCommand& command);
  /// Runs a script once for each set of arguments, in one go. An answer that is an error is a
  /// failure.
  Outcome<std::vector<RedisReply>> call(const RedisScript& script,
                                        std::span<const RedisArguments> calls);
  Outcome<RedisReply> call(const RedisScript& script, const RedisArguments& arguments);

  /// True from a failure until something has succeeded again. Also true before the first success.
  bool is_away() const { return away_; }
  /// True when a connection would be tried now, or is there.
  bool may_try() const;
  /// Forgets how long to wait before the next try.
  void try_at_once() { retry_at_ = {}; }
  std::string key(std::string_view name) const { return options_.prefix + std::string(name); }
  const RedisOptions& options() const { return options_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  Outcome<void> open();
  Error failed(Error error);
  void succeeded();
  Outcome<std::vector<RedisReply>> send(std::span<const RedisCommand> commands);

  const RedisOptions options_;
  std::optional<RedisConnection> connection_;
  std::map<const char*, std::string> loaded_;  ///< hash by text of the script
  std::atomic<bool> away_{true};
  bool told_ = false;  ///< of the trouble at hand
  int failures_ = 0;   ///< in a row
  Duration backoff_ = retry_first;
  Time retry_at_{};
  Random jitter_;
};

}  // namespace fermata
