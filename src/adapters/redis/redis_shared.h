#pragma once
#include <set>

#include "adapters/redis/barriers.h"
#include "adapters/redis/mirror.h"
#include "adapters/redis/redis_counters.h"
#include "adapters/redis/redis_leases.h"
#include "adapters/redis/redis_timers.h"
#include "ports/feed.h"

namespace fermata {

struct RedisSharedOptions {
  std::string timers{};  ///< address; empty: not there
  std::string leases{};  ///< likewise, and of the counters
  std::string password{};
  std::string prefix{};
  std::string cluster = "fermata";
  std::string replica{};
  bool unsafe_allowed = false;
  bool full_payloads = false;
  std::set<std::string> mirrors{};  ///< of `waits`, `delays` and `barriers`
  bool time_is_virtual = false;
  Duration start_patience{30'000};
  Duration snapshot_interval{5'000};
  Duration rewrite_interval = Mirror::rewrite_interval;
  std::function<void()> on_due{};
  std::function<void(const std::string&)> on_trouble{};
  std::function<void(const std::string&)> on_warning{};  ///< at start, of what is not safe
};

/// Everything of one server that is in Redis, and the thread that shows others what they may see.
class RedisShared {
 public:
  /// Looks at each Redis that is named (C-6). Where one cannot be reached it is tried again until
  /// patience is over: io_failed. One that is not safe: invalid_setting.
  static Outcome<std::unique_ptr<RedisShared>> open(RedisSharedOptions options, const Clock& clock,
                                                    std::unique_ptr<Counters> meanwhile,
                                                    std::unique_ptr<Leases> instead);
  ~RedisShared();

  Timers* timers() { return timers_.get(); }
  Counters* counters() { return counters_.get(); }
  Leases* leases() { return leases_.get(); }
  std::unique_ptr<Feed> feed(Feed& inner);
  /// Pending waits of an earlier life, for the mirror; before `begin`.
  void recall(std::span<const WaitRecord> waits);
  bool mirrors() const { return mirror_.is_on(); }

  using AskWorkers = std::function<std::optional<Value>()>;
  void begin(AskWorkers ask);
  void stop();
  bool is_away() const;
  std::string metrics() const;

 private:
  RedisShared(RedisSharedOptions options, const Clock& clock);
  Outcome<RedisOptions> link_options(const std::string& url) const;
  Outcome<void> look_at(const std::string& url) const;
  void show();
  void show_snapshot(const AskWorkers& ask);
  void tell(const std::string& trouble);

  const RedisSharedOptions options_;
  const Clock& clock_;
  std::unique_ptr<RedisTimers> timers_;
  std::unique_ptr<RedisCounters> counters_;
  std::unique_ptr<RedisLeases> leases_;      ///< for others
  std::unique_ptr<RedisLeases> own_leases_;  ///< of the thread below
  std::unique_ptr<RedisLink> shown_;         ///< likewise
  Mirror mirror_;
  BarrierMirror barriers_;
  std::string index_seen_;                              ///< of the thread below
  std::chrono::steady_clock::time_point rewrite_at_{};  ///< likewise
  std::mutex trouble_mutex_;
  std::string trouble_;  ///< last told
  std::mutex mutex_;
  std::condition_variable bell_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata
