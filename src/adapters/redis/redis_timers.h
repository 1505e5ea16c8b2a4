#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "adapters/redis/timer_book.h"
#include "adapters/redis/timer_keys.h"

namespace fermata {

struct RedisTimersOptions {
  Duration near{1'000};          ///< due within: kept in memory alone (C-32)
  Duration claim_lease{30'000};  ///< then others may claim it
  /// What Redis has not brought so long after it was due is taken from memory (C-34).
  Duration late{2'000};
  size_t changes_max = 200'000;    ///< that wait for Redis; beyond, all timers are sent again
  std::function<void()> on_due{};  ///< something may be due; called on another thread
};

/// What a look at the run tells of its next timer, for those who read it in Redis.
struct TimerDetails {
  RunId run;
  std::string timer_id;  ///< of the wait (G-82)
  Value message;         ///< members of the message, beside ids and times of the timer
};

/// Timers in Redis, where any replica may claim what is due. Nothing here waits for the network:
/// what is armed goes into a queue, what was claimed comes out of another, and a thread of its own
/// carries both (ADR 0057).
///
/// A book of what this process has armed stays in memory. From it the index is sent again when
/// Redis has lost it, what Redis does not bring in time is taken, and everything is while Redis is
/// away. So its loss costs lateness: 2 s at most. Methods of the port are for one thread, the
/// others for any.
class RedisTimers final : public Timers {
 public:
  RedisTimers(RedisOptions redis, RedisTimersOptions options, const Clock& clock);
  ~RedisTimers() override;

  using Timers::arm;
  void arm(const RunId& run, Instant due, TimerLane lane) override;
  void disarm(const RunId& run) override;
  std::vector<DueRun> due(Instant now, size_t most) override;
  std::optional<Instant> next_due() const override;
  size_t size() const override;
  /// Of the run that is armed next.
  void describe(TimerDetails details);

  struct Counts {
    uint64_t rebuilds = 0;    ///< the index was lost and sent again
    uint64_t late_fired = 0;  ///< Redis was there and did not bring them
    uint64_t away_fired = 0;  ///< while Redis was away
    uint64_t claimed = 0;
    uint64_t unusable = 0;  ///< claimed, but the payload names no execution
  };
  Counts counts() const;
  bool is_away() const { return away_; }
  /// From now on nobody is rung, and nobody is being rung: whoever would be may go.
  void mute();
  /// Waits until everything was sent and all that is due was claimed; false when it was not in
  /// time, or Redis is away.
  bool settle(std::chrono::milliseconds within);

 private:
  /// What Redis knew a timer by that the engine has in hand; told to Redis when it is done with it.
  struct Handed {
    std::string member;
    bool claimed = false;
  };
  using Kept = TimerBook::Kept;

  // Of the engine's thread; all with the lock.
  void push(TimerChange::Kind kind, std::string member, const RunId& run = {});
  void release(const RunId& run, std::string_view kept_member);
  std::optional<TimerBook::Place> next_to_fire(Instant now) const;
  void hand_out(const TimerBook::Place& place, std::vector<DueRun>& out);

  // Of the thread of its own.
  void run();
  bool round();
  bool send_changes();
  bool claim();
  bool find_index();
  void take(const ClaimedTimer& timer, Instant now);
  void went_away();
  void ring();
  void came_back();
  std::vector<TimerChange> next_changes();
  Instant wake_at() const;

  const RedisTimersOptions options_;
  const Clock& clock_;
  RedisLink link_;  ///< of the thread of its own, as are the next three
  RedisIndex index_;
  TimerKeys keys_;
  std::chrono::steady_clock::time_point asked_redis_at_{};  ///< last claim

  std::mutex ring_mutex_;  ///< held while somebody is rung
  bool muted_ = false;
  mutable std::mutex mutex_;
  std::condition_variable bell_, settled_bell_;
  bool stopping_ = false;
  std::atomic<bool> away_{true};
  TimerBook book_;
  std::unordered_map<RunId, std::vector<Handed>> handed_;
  std::optional<TimerDetails> described_;
  Instant asked_at_{INT64_MIN};  ///< newest instant that `due` was asked for
  struct Change {
    TimerChange::Kind kind;
    std::string member;
    RunId run;  ///< of one to be armed: as the book has it when it is sent
  };
  std::deque<Change> changes_;
  bool resending_ = false;  ///< everything is sent again, from here on
  Instant resend_due_{};    ///< with the next: a place, without the run that it may outlive
  uint64_t resend_order_ = 0;
  Instant next_claim_{};
  uint64_t settle_wanted_ = 0, settled_ = 0;
  Counts counts_;
  std::thread thread_;
};

}  // namespace fermata
