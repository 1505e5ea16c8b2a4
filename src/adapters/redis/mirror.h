#pragma once
#include <map>
#include <mutex>
#include <set>

#include "adapters/redis/redis_link.h"
#include "core/model/wait.h"

namespace fermata {

/// Shows others in Redis which waits are pending (C-31): `workflow:scheduled_jobs`,
/// `workflow:event_listeners:…`, `workflow:wait:…` (mirror `waits`) and `cordum:wf:delay:timers`
/// (mirror `delays`). Nothing reads it back. It remembers the pending waits that were told to it,
/// and sends them again every 10 minutes and when Redis has lost them.
class Mirror {
 public:
  static constexpr Duration rewrite_interval{600'000};
  static constexpr size_t waits_max = 1'000'000;  ///< remembered; more are shown when they change

  Mirror(bool waits, bool delays) : waits_(waits), delays_(delays) {}
  bool is_on() const { return waits_ || delays_; }
  /// What a commit has changed. Safe from any thread; does not wait.
  void changed(std::span<const WaitRecord> records);
  /// Sends what has changed since, or everything.
  Outcome<void> send(RedisLink& link, bool everything);

 private:
  using Key = std::pair<RunId, std::string>;  ///< run and wait
  std::vector<RedisCommand> commands_of(const RedisLink& link, const WaitRecord& record) const;
  void add_times(const RedisLink& link, const RunId& run, const WaitRecord& record,
                 std::vector<RedisCommand>& commands) const;

  const bool waits_, delays_;
  mutable std::mutex mutex_;
  std::map<Key, WaitRecord> pending_;
  std::map<Key, WaitRecord> changed_;
};

}  // namespace fermata
