#include "host/wait_limits.h"

#include <algorithm>
#include <cmath>

namespace fermata {
namespace {

constexpr size_t limited_page_waits = 2'000;
constexpr double minute_ms = 60'000;
/// The most that one wait has (W-44): a full bucket lets any wait in.
constexpr int64_t listeners_of_a_wait_max = 10;

int64_t active_listeners(const Wait& wait) {
  return wait.listens() ? static_cast<int64_t>(wait.listeners.size()) : 0;
}

const AccountSettings& default_settings() {
  static const AccountSettings defaults;
  return defaults;
}

}  // namespace

Outcome<void> WaitLimits::recount() {
  FERMATA_TRY(counts, store_.counted_waits());
  counted_.clear();
  for (const auto& [account, waits] : counts) counted_[account] = static_cast<int64_t>(waits);
  look_again();
  return {};
}

Outcome<void> WaitLimits::recover() {
  FERMATA_TRY_VOID(recount());
  waiting_.clear();
  for (size_t after = 0;;) {
    FERMATA_TRY(page, store_.limited_waits(after, limited_page_waits));
    for (const WaitRecord& record : page) committed(record);
    after += page.size();
    if (page.size() < limited_page_waits) break;
  }
  look_again();
  return {};
}

void WaitLimits::count(const AccountId& account, int64_t waits) {
  if (waits == 0) return;
  counted_[account] += waits;
  if (waits < 0) look_again();
}

WaitLimits::Bucket& WaitLimits::filled(const AccountId& account, int64_t per_minute, Instant now) {
  Bucket& bucket = buckets_[account];
  auto capacity = static_cast<double>(per_minute);
  if (!bucket.begun) {
    bucket = {capacity, now, true};
  } else if (now > bucket.at) {
    double more = capacity * static_cast<double>((now - bucket.at).ms) / minute_ms;
    bucket.listeners = std::min(capacity, bucket.listeners + more);
  }
  // A clock that was set back fills nothing until it has caught up.
  bucket.at = std::max(bucket.at, now);
  if (bucket.at > now + Duration{static_cast<int64_t>(minute_ms)}) bucket.at = now;
  bucket.listeners = std::min(bucket.listeners, capacity);
  return bucket;
}

WaitRoom WaitLimits::room_of(const AccountId& account, const AccountSettings& settings,
                             Instant now) {
  WaitRoom room;
  const AccountSettings::Limits& limits = settings.limits;
  room.per_execution = limits.waits_per_execution;
  auto queue = waiting_.find(account);
  // Those that came first have their place already.
  if (limits.waits_per_account > 0) {
    auto counted = counted_.find(account);
    int64_t taken = counted == counted_.end() ? 0 : counted->second;
    if (queue != waiting_.end()) taken += static_cast<int64_t>(queue->second.entries.size());
    room.waits = std::max<int64_t>(0, limits.waits_per_account - taken);
  }
  if (limits.listeners_per_minute > 0) {
    const Bucket& bucket = filled(account, limits.listeners_per_minute, now);
    auto left = static_cast<int64_t>(std::floor(bucket.listeners + 1e-9));
    if (left >= limits.listeners_per_minute) left = std::max(left, listeners_of_a_wait_max);
    if (queue != waiting_.end()) left -= queue->second.listeners;
    room.listeners = std::max<int64_t>(0, left);
  }
  return room;
}

void WaitLimits::opened_listeners(const AccountId& account, int64_t listeners) {
  if (listeners > 0) buckets_[account].listeners -= static_cast<double>(listeners);
}

void WaitLimits::leave(Queue& queue, const std::string& wait) {
  auto reached = queue.reached.find(wait);
  if (reached == queue.reached.end()) return;
  auto entry = queue.entries.find({reached->second, wait});
  if (entry->second.named) {
    --queue.named;
  } else {
    queue.listeners -= entry->second.listeners;
  }
  queue.entries.erase(entry);
  queue.reached.erase(reached);
}

void WaitLimits::committed(const WaitRecord& record) {
  const Wait& wait = record.wait;
  bool waits = is_pending(wait.status) && wait.hold == held_by_limit;
  auto queue = waiting_.find(record.account);
  if (!waits) {
    if (queue == waiting_.end()) return;
    leave(queue->second, wait.id);
    if (queue->second.entries.empty()) waiting_.erase(queue);
    return look_again();
  }
  Queue& place = waiting_[record.account];
  if (!place.reached.try_emplace(wait.id, wait.reached_at).second) return;
  int64_t listeners = active_listeners(wait);
  place.listeners += listeners;
  place.entries.emplace(Waiting{wait.reached_at, wait.id}, Entry{record.run, listeners, false});
  look_again();
}

void WaitLimits::let_in(const AccountId& account, Queue& queue, const AccountSettings& settings,
                        Instant now, size_t most, std::vector<Command>& commands) {
  const AccountSettings::Limits& limits = settings.limits;
  auto named = static_cast<int64_t>(queue.named);
  int64_t room = static_cast<int64_t>(queue.entries.size());
  if (limits.waits_per_account > 0) room = limits.waits_per_account - counted_[account] - named;
  for (auto& [place, entry] : queue.entries) {
    if (commands.size() >= most) {
      may_enter_ = true;
      return;
    }
    if (entry.named) continue;
    if (room <= 0) return;
    if (entry.listeners > 0 && limits.listeners_per_minute > 0) {
      Bucket& bucket = filled(account, limits.listeners_per_minute, now);
      auto capacity = static_cast<double>(limits.listeners_per_minute);
      double wanted = std::min(static_cast<double>(entry.listeners), capacity);
      if (bucket.listeners + 1e-9 < wanted) {
        double wait_ms = std::ceil((wanted - bucket.listeners) * minute_ms / capacity);
        Instant then = now + Duration{std::max<int64_t>(1, static_cast<int64_t>(wait_ms))};
        if (!refilled_at_ || then < *refilled_at_) refilled_at_ = then;
        return;
      }
      bucket.listeners -= static_cast<double>(entry.listeners);
    }
    --room;
    entry.named = true;
    ++queue.named;
    queue.listeners -= entry.listeners;
    commands.push_back({entry.run, ReleaseWaits{place.wait, std::string(held_by_limit)}});
  }
}

std::vector<Command> WaitLimits::entering(const AccountTable* accounts, Instant now, size_t most) {
  std::vector<Command> commands;
  if (refilled_at_ && *refilled_at_ <= now) may_enter_ = true;
  if (waiting_.empty()) {
    may_enter_ = false;
    refilled_at_.reset();
  }
  if (!may_enter_) return commands;
  may_enter_ = false;
  refilled_at_.reset();
  for (auto& [account, queue] : waiting_) {
    auto settings = accounts ? accounts->settings_of(account) : nullptr;
    let_in(account, queue, settings ? *settings : default_settings(), now, most, commands);
  }
  return commands;
}

std::optional<Instant> WaitLimits::next_due() const { return refilled_at_; }

WaitLimits::Counted& WaitLimits::Counted::operator=(Counted&& other) noexcept {
  if (this == &other) return *this;
  take_back();
  limits_ = std::exchange(other.limits_, nullptr);
  account_ = std::move(other.account_);
  taken_ = std::exchange(other.taken_, 0);
  freed_ = std::exchange(other.freed_, 0);
  return *this;
}

void WaitLimits::Counted::add(WaitLimits& limits, const AccountId& account, int64_t waits) {
  if (waits == 0) return;
  limits_ = &limits;
  account_ = account;
  if (waits < 0) {
    freed_ -= waits;
    return;
  }
  taken_ += waits;
  limits.count(account, waits);
}

void WaitLimits::Counted::keep() {
  if (limits_) limits_->count(account_, -freed_);
  limits_ = nullptr;
  taken_ = freed_ = 0;
}

void WaitLimits::Counted::take_back() {
  if (limits_) limits_->count(account_, -taken_);
  limits_ = nullptr;
  taken_ = freed_ = 0;
}

}  // namespace fermata
