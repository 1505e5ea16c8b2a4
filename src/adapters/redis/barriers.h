#pragma once
#include <map>
#include <mutex>
#include <set>

#include "adapters/redis/redis_link.h"
#include "core/model/run.h"

namespace fermata {

/// Shows others in Redis how barriers fill (C-31, C-37), mirror `barriers`: what is expected and
/// has arrived, and when it opened. Nothing reads it back: the run counts. Every key ends by
/// itself.
class BarrierMirror {
 public:
  static constexpr int64_t life_s = 400LL * 86'400;  ///< beyond any legal wait
  static constexpr int64_t life_after_end_s = 3'600;
  static constexpr size_t payload_bytes_max = 4'096;
  static constexpr size_t runs_max = 100'000;  ///< whose keys are remembered until they end

  explicit BarrierMirror(bool on) : on_(on) {}
  bool is_on() const { return on_; }
  /// A commit has left the run so. Safe from any thread; does not wait.
  void changed(const Run& run);
  /// Sends what has changed; a failure keeps nothing back: the next commit shows all of its run.
  Outcome<void> send(RedisLink& link);

 private:
  void show(const Run& run, const MergeKey& key, const Merge& merge);

  const bool on_;
  std::mutex mutex_;
  std::map<RunId, std::set<std::string>> known_;  ///< keys of runs that live
  std::vector<RedisCommand> commands_;            ///< keys without the prefix, at [1]
};

/// The name of a barrier in its keys: the node's id for the first visit outside splits, else with a
/// digest of lineage and visit (C-37).
std::string barrier_scope(const Run& run, const MergeKey& key);

}  // namespace fermata
