#include "adapters/redis/redis_timers.h"

#include <algorithm>

namespace fermata {

namespace {

Instant later(Instant at, Duration by) {
  return at.ms > INT64_MAX - by.ms ? Instant{INT64_MAX} : at + by;
}

}  // namespace

RedisTimers::RedisTimers(RedisOptions redis, RedisTimersOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      link_(std::move(redis)),
      index_(link_, clock),
      keys_(link_, index_),
      thread_([this] { run(); }) {}

RedisTimers::~RedisTimers() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  bell_.notify_all();
  thread_.join();
}

void RedisTimers::push(TimerChange::Kind kind, std::string member, const RunId& run) {
  // While Redis is away nothing is kept for it: when it is back, everything is sent again.
  if (away_) return;
  if (changes_.size() >= options_.changes_max) {
    changes_.clear();
    resending_ = true;
    resend_due_ = {INT64_MIN};
    resend_order_ = 0;
    return;
  }
  changes_.push_back({kind, std::move(member), run});
  if (changes_.size() == 1) bell_.notify_one();
}

/// The engine is done with what it had in hand of the run.
void RedisTimers::release(const RunId& run, std::string_view kept_member) {
  auto found = handed_.find(run);
  if (found == handed_.end()) return;
  for (Handed& handed : found->second)
    if (handed.member != kept_member)
      push(handed.claimed ? TimerChange::Kind::ack : TimerChange::Kind::drop,
           std::move(handed.member));
  handed_.erase(found);
}

void RedisTimers::describe(TimerDetails details) {
  std::lock_guard lock(mutex_);
  described_ = std::move(details);
}

void RedisTimers::arm(const RunId& run, Instant due, TimerLane lane) {
  bool is_near = due <= later(clock_.now(), options_.near);
  std::lock_guard lock(mutex_);
  std::optional<TimerDetails> details;
  if (described_ && described_->run == run) details = std::exchange(described_, std::nullopt);
  TimerBook::Entry* known = book_.find(run);
  if (known && known->due == due) {
    known->lane = lane;
    return;
  }
  std::string before = known && known->kept != Kept::near ? known->member : "";
  TimerBook::Entry entry{due, lane, is_near ? Kept::near : Kept::shared};
  if (!is_near) {
    entry.member = details ? details->timer_id : member_of(run);
    if (details) entry.message = slim_payload(run, due, lane, entry.member, details->message);
  }
  if (!before.empty() && before != entry.member) push(TimerChange::Kind::drop, std::move(before));
  release(run, entry.member);
  std::string member = entry.member;
  book_.put(run, std::move(entry));
  if (is_near) return;
  push(TimerChange::Kind::arm, std::move(member), run);
  if (due < next_claim_) {
    next_claim_ = due;
    bell_.notify_one();
  }
}

void RedisTimers::disarm(const RunId& run) {
  std::lock_guard lock(mutex_);
  if (TimerBook::Entry* known = book_.find(run)) {
    if (known->kept != Kept::near) push(TimerChange::Kind::drop, std::move(known->member));
    book_.erase(run);
  }
  release(run, "");
}

/// The earliest that the engine may have now.
std::optional<TimerBook::Place> RedisTimers::next_to_fire(Instant now) const {
  std::optional<TimerBook::Place> next;
  for (Kept kept : {Kept::ready, Kept::near, Kept::shared}) {
    const TimerBook::Places& places = book_.places(kept);
    if (places.empty()) continue;
    Instant at = std::get<0>(*places.begin());
    if (kept == Kept::shared && !away_) at = later(at, options_.late);
    if (at <= now && (!next || *places.begin() < *next)) next = *places.begin();
  }
  return next;
}

void RedisTimers::hand_out(const TimerBook::Place& place, std::vector<DueRun>& out) {
  RunId run = *std::get<2>(place);
  TimerBook::Entry* entry = book_.find(run);
  if (entry->kept == Kept::shared) ++(away_ ? counts_.away_fired : counts_.late_fired);
  if (entry->kept != Kept::near)
    handed_[run].push_back({std::move(entry->member), entry->kept == Kept::ready});
  out.push_back({run, entry->lane});
  book_.erase(run);
}

std::vector<DueRun> RedisTimers::due(Instant now, size_t most) {
  std::vector<DueRun> out;
  std::lock_guard lock(mutex_);
  asked_at_ = now;
  while (out.size() < most) {
    auto next = next_to_fire(now);
    if (!next) break;
    hand_out(*next, out);
  }
  return out;
}

std::optional<Instant> RedisTimers::next_due() const {
  std::lock_guard lock(mutex_);
  std::optional<Instant> next;
  for (Kept kept : {Kept::ready, Kept::near, Kept::shared}) {
    const TimerBook::Places& places = book_.places(kept);
    if (places.empty()) continue;
    Instant at = std::get<0>(*places.begin());
    // One that is due and was not brought yet: Redis rings, or it is late.
    if (kept == Kept::shared && !away_ && at <= asked_at_) at = later(at, options_.late);
    if (!next || at < *next) next = at;
  }
  return next;
}

size_t RedisTimers::size() const {
  std::lock_guard lock(mutex_);
  return book_.size();
}

RedisTimers::Counts RedisTimers::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

bool RedisTimers::settle(std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  uint64_t wanted = ++settle_wanted_;
  bell_.notify_one();
  return settled_bell_.wait_for(lock, within, [&] { return settled_ >= wanted; });
}

}  // namespace fermata
