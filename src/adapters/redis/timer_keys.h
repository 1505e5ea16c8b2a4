#pragma once
#include "adapters/redis/redis_index.h"
#include "base/id.h"
#include "base/value.h"
#include "ports/timers.h"

/// The timers in Redis: `scheduler:timers` and `scheduler:processing`, sorted by due time and by
/// the end of a claim, and `scheduler:payloads` (C-31, C-32).
namespace fermata {

/// One change of them. Changes are made in order.
struct TimerChange {
  enum class Kind : uint8_t {
    arm,   ///< sets it, whatever was there
    ack,   ///< what came of a claim is durable; it stays if somebody has armed it again
    drop,  ///< it is wanted no longer
  };
  Kind kind = Kind::arm;
  std::string member;
  Instant due{};
  std::string payload{};
};

struct ClaimedTimer {
  std::string member;
  RunId run{};  ///< empty when the payload does not say
  TimerLane lane = 0;
  std::optional<Instant> due{};
};
struct ClaimedTimers {
  bool lost = false;  ///< the index is not the one we know
  std::vector<ClaimedTimer> timers{};
  std::optional<Instant> next{};  ///< lowest due time of those left
};

/// What Redis knows the timer of a run by where nothing tells which of its waits it is.
std::string member_of(const RunId& run);
/// The message of a run's timer without what only a look at the run could tell.
std::string slim_payload(const RunId& run, Instant due, TimerLane lane, const std::string& member,
                         const Value& details);

class TimerKeys {
 public:
  /// Members that one script touches, both of a claim and of those given back to others.
  static constexpr size_t script_members_max = 500;
  static constexpr size_t claim_max = script_members_max / 2;

  TimerKeys(RedisLink& link, RedisIndex& index);
  Outcome<void> make(std::span<const TimerChange> changes);
  /// Moves what is due to `processing`, where it stays for `lease`. Claims of others whose lease
  /// has ended are given back first.
  Outcome<ClaimedTimers> claim(Instant now, Duration lease);

 private:
  RedisLink& link_;
  RedisIndex& index_;
  const std::string timers_, processing_, payloads_;
};

}  // namespace fermata
