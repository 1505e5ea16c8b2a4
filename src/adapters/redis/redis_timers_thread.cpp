#include <algorithm>

#include "adapters/redis/redis_timers.h"

/// The thread of Redis' timers: carries changes there and claims what is due.
namespace fermata {

namespace {

constexpr Duration claim_interval_max{1'000};
/// While Redis is away: how often it is looked for, at the most.
constexpr std::chrono::milliseconds away_pause(50);
/// Changes in one go: eight scripts.
constexpr size_t changes_per_round = 8 * TimerKeys::script_members_max;

}  // namespace

/// When there is something to do though nobody rings.
Instant RedisTimers::wake_at() const {
  Instant at = next_claim_;
  const TimerBook::Places& shared = book_.places(Kept::shared);
  // Not again and again for one that Redis does not give: that one is late.
  if (!shared.empty() && std::get<0>(*shared.begin()) > clock_.now())
    at = std::min(at, std::get<0>(*shared.begin()));
  return at;
}

void RedisTimers::run() {
  for (bool more = false;;) {
    {
      std::unique_lock lock(mutex_);
      auto rings = [&] {
        return stopping_ || (!away_ && (!changes_.empty() || resending_)) ||
               settle_wanted_ > settled_;
      };
      if (!more && !rings()) {
        std::chrono::milliseconds rest = away_pause;
        if (!away_)
          rest = std::chrono::milliseconds(
              std::clamp<int64_t>(wake_at().ms - clock_.now().ms, 0, claim_interval_max.ms));
        // A ring also tells of a timer that is earlier than the next claim.
        if (rest.count() > 0) bell_.wait_for(lock, rest);
      }
      if (stopping_) return;
    }
    more = round();
    // Whoever waits for what cannot be done now does not keep the thread busy.
    if (std::unique_lock lock(mutex_); away_ && settle_wanted_ > settled_)
      bell_.wait_for(lock, away_pause, [&] { return stopping_; });
  }
}

/// True when there is more to do at once.
bool RedisTimers::round() {
  if (!link_.may_try()) return false;
  uint64_t wanted = 0;
  {
    std::lock_guard lock(mutex_);
    wanted = settle_wanted_;
  }
  if ((away_ || index_.known().empty()) && !find_index()) return went_away(), false;
  if (away_) came_back();
  if (!send_changes()) return went_away(), false;
  bool more = false;
  {
    std::lock_guard lock(mutex_);
    more = resending_ || !changes_.empty();
    // Also when the clock stands still: whether Redis is there shows only to those who ask.
    bool silent = std::chrono::steady_clock::now() - asked_redis_at_ >=
                  std::chrono::milliseconds(claim_interval_max.ms);
    bool claims = wanted > settled_ || silent || wake_at() <= clock_.now();
    if (!claims) return more;
  }
  if (!claim()) return went_away(), false;
  std::lock_guard lock(mutex_);
  more = more || resending_ || !changes_.empty() || next_claim_ <= clock_.now();
  if (!more && wanted > settled_) {
    settled_ = wanted;
    settled_bell_.notify_all();
  }
  return more;
}

/// Finds or begins the index. One that is not the one we knew does not hold what we have sent.
bool RedisTimers::find_index() {
  bool first = index_.known().empty();
  auto renewed = index_.renew();
  if (!renewed) return false;
  std::lock_guard lock(mutex_);
  if (*renewed && !first) ++counts_.rebuilds;
  return true;
}

void RedisTimers::came_back() {
  std::lock_guard lock(mutex_);
  changes_.clear();
  resending_ = true;
  resend_due_ = {INT64_MIN};
  resend_order_ = 0;
  next_claim_ = clock_.now();
  away_ = false;
}

void RedisTimers::ring() {
  std::lock_guard lock(ring_mutex_);
  if (!muted_ && options_.on_due) options_.on_due();
}

void RedisTimers::mute() {
  std::lock_guard lock(ring_mutex_);
  muted_ = true;
}

/// From now on the book alone says what is due.
void RedisTimers::went_away() {
  {
    std::lock_guard lock(mutex_);
    if (away_) return;
    away_ = true;
    changes_.clear();
    resending_ = false;
  }
  ring();
}

/// What was asked for first; then, where everything is to be sent again, the next part of it, those
/// that are due earliest first (C-35).
std::vector<TimerChange> RedisTimers::next_changes() {
  std::vector<TimerChange> out;
  std::lock_guard lock(mutex_);
  auto add_entry = [&](const RunId& run, TimerBook::Entry& entry) {
    std::string payload = entry.message.empty()
                              ? slim_payload(run, entry.due, entry.lane, entry.member, Value())
                              : std::move(entry.message);
    entry.message.clear();
    out.push_back({TimerChange::Kind::arm, entry.member, entry.due, std::move(payload)});
  };
  for (; !changes_.empty() && out.size() < changes_per_round; changes_.pop_front()) {
    Change& change = changes_.front();
    if (change.kind != TimerChange::Kind::arm) {
      out.push_back({change.kind, std::move(change.member)});
      continue;
    }
    TimerBook::Entry* entry = book_.find(change.run);
    if (entry && entry->kept == Kept::shared && entry->member == change.member)
      add_entry(change.run, *entry);
  }
  if (!resending_) return out;
  const TimerBook::Places& shared = book_.places(Kept::shared);
  // No run lies at a null pointer, so this is before the place itself; its order tells it apart.
  auto next = shared.lower_bound({resend_due_, resend_order_, nullptr});
  for (; next != shared.end() && out.size() < changes_per_round; ++next) {
    const RunId& run = *std::get<2>(*next);
    add_entry(run, *book_.find(run));
    resend_due_ = std::get<0>(*next);
    resend_order_ = std::get<1>(*next) + 1;
  }
  resending_ = next != shared.end();
  return out;
}

bool RedisTimers::send_changes() {
  std::vector<TimerChange> changes = next_changes();
  return changes.empty() || static_cast<bool>(keys_.make(changes));
}

/// One of those that Redis has given.
void RedisTimers::take(const ClaimedTimer& timer, Instant now) {
  if (timer.run.text().empty()) {
    ++counts_.unusable;
    return push(TimerChange::Kind::ack, timer.member);
  }
  TimerBook::Entry* entry = book_.find(timer.run);
  if (!entry) {
    // In hand already, or armed by another process.
    if (auto handed = handed_.find(timer.run); handed != handed_.end()) {
      bool known = std::any_of(handed->second.begin(), handed->second.end(),
                               [&](const Handed& one) { return one.member == timer.member; });
      if (!known) handed->second.push_back({timer.member, true});
      return;
    }
    return book_.put(timer.run,
                     {timer.due.value_or(now), timer.lane, Kept::ready, 0, timer.member});
  }
  bool same = entry->member == timer.member;
  if (entry->due > now && same) return push(TimerChange::Kind::arm, timer.member, timer.run);
  if (!same) return push(TimerChange::Kind::ack, timer.member);
  book_.move(timer.run, Kept::ready);
}

bool RedisTimers::claim() {
  Instant now = clock_.now();
  asked_redis_at_ = std::chrono::steady_clock::now();
  auto claimed = keys_.claim(now, options_.claim_lease);
  if (!claimed) return false;
  if (claimed->lost) {
    if (!find_index()) return false;
    came_back();
    return true;
  }
  {
    std::lock_guard lock(mutex_);
    for (const ClaimedTimer& timer : claimed->timers) take(timer, now);
    counts_.claimed += claimed->timers.size();
    Instant latest =
        now.ms > INT64_MAX - claim_interval_max.ms ? Instant{INT64_MAX} : now + claim_interval_max;
    next_claim_ = claimed->next ? std::min(*claimed->next, latest) : latest;
    // Those that the script left for the next time.
    if (claimed->timers.size() >= TimerKeys::claim_max) next_claim_ = now;
  }
  if (!claimed->timers.empty()) ring();
  return true;
}

}  // namespace fermata
