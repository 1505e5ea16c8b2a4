#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "adapters/redis/redis_link.h"
#include "ports/clock.h"
#include "ports/counters.h"

namespace fermata {

/// Counters that replicas share, under `cordum:` and their own names (J-32). Every answer is copied
/// into `meanwhile`, which goes on counting while Redis is away. A call waits for Redis once when
/// it goes away, for at most the time limit; it is looked for again on a thread of its own.
class RedisCounters final : public Counters {
 public:
  /// How long a turn of the engine may wait; shorter than elsewhere, because everybody waits with
  /// it.
  static constexpr Duration call_timeout{100};

  RedisCounters(RedisOptions options, const Clock& clock, std::unique_ptr<Counters> meanwhile);
  ~RedisCounters() override;
  int64_t add(const std::string& key, int64_t by, Duration ends_in) override;
  std::vector<std::optional<breaker::Counter>> read(std::span<const std::string> keys) override;
  /// Safe from any thread.
  bool is_away() const { return link_.is_away(); }

 private:
  /// The link, if it is up and nobody mends it.
  std::unique_lock<std::mutex> use();
  void mend();
  std::string key_of(const std::string& key) const { return link_.key("cordum:" + key); }
  void remember(const std::string& key, int64_t value, Duration ends_in);

  const Clock& clock_;
  const std::unique_ptr<Counters> meanwhile_;
  std::mutex mutex_;  ///< of the link
  RedisLink link_;
  std::mutex bell_mutex_;
  std::condition_variable bell_;
  bool stopping_ = false;
  std::thread mender_;
};

}  // namespace fermata
