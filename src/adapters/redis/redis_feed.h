#pragma once
#include "adapters/redis/barriers.h"
#include "adapters/redis/mirror.h"
#include "adapters/redis/redis_timers.h"
#include "ports/feed.h"

namespace fermata {

/// What can be told of a run's next timer by looking at the run: the wait it belongs to as a
/// message (C-55). Nothing when the next timer is none of a node's. With `full` the definition and
/// what the token knows stand in it too; values of credentials never do, because neither holds
/// them.
std::optional<TimerDetails> timer_details(const Run& run, bool full);

/// Stands between the engine and its feed: describes timers before they are armed, and tells the
/// mirror of waits.
class RedisFeed final : public PassingFeed {
 public:
  /// Either may be absent.
  RedisFeed(Feed& inner, RedisTimers* timers, Mirror* mirror, bool full_payloads,
            BarrierMirror* barriers = nullptr)
      : PassingFeed(inner),
        timers_(timers),
        mirror_(mirror),
        full_(full_payloads),
        barriers_(barriers) {}
  void settled(const Run& state) override;
  void waits_changed(std::span<const WaitRecord> waits) override;

 private:
  RedisTimers* const timers_;
  Mirror* const mirror_;
  const bool full_;
  BarrierMirror* const barriers_;
};

}  // namespace fermata
