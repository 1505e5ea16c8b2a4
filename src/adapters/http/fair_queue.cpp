#include "adapters/http/fair_queue.h"

#include "base/check.h"

namespace fermata::http {

bool FairQueue::can_start(const Lane& lane) const {
  return !lane.waiting.empty() && lane.running < limits_.per_account_max;
}

/// Lists a lane that can start, and forgets one with nothing left.
void FairQueue::settle(Lanes::iterator at) {
  Lane& lane = at->second;
  if (lane.in_turn) return;
  if (can_start(lane)) {
    lane.in_turn = true;
    turn_.push_back(at->first);
  } else if (lane.waiting.empty() && lane.running == 0) {
    lanes_.erase(at);
  }
}

void FairQueue::push(const AccountId& account, uint64_t number) {
  const auto at = lanes_.try_emplace(account).first;
  check(at->second.waiting.empty() || number > *at->second.waiting.rbegin());
  at->second.waiting.insert(number);
  ++waiting_;
  settle(at);
}

std::optional<uint64_t> FairQueue::start() {
  while (running_ < limits_.total_max && !turn_.empty()) {
    const auto at = lanes_.find(turn_.front());
    turn_.pop_front();
    check(at != lanes_.end());
    Lane& lane = at->second;
    lane.in_turn = false;
    std::optional<uint64_t> started;
    if (can_start(lane)) {
      started = *lane.waiting.begin();
      lane.waiting.erase(lane.waiting.begin());
      ++lane.running;
      --waiting_;
      ++running_;
    }
    settle(at);
    if (started) return started;
  }
  return std::nullopt;
}

void FairQueue::finish(const AccountId& account) {
  const auto at = lanes_.find(account);
  check(at != lanes_.end() && at->second.running > 0 && running_ > 0);
  --at->second.running;
  --running_;
  settle(at);
}

bool FairQueue::remove(const AccountId& account, uint64_t number) {
  const auto at = lanes_.find(account);
  if (at == lanes_.end() || at->second.waiting.erase(number) == 0) return false;
  --waiting_;
  settle(at);
  return true;
}

}  // namespace fermata::http
