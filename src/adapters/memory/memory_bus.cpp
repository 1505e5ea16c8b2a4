#include "adapters/memory/memory_bus.h"

#include <algorithm>

namespace fermata {

namespace {

constexpr const char* dead_queue = "workflow.dead";

}  // namespace

void MemoryBus::publish(std::vector<BusMessage> batch) {
  std::lock_guard lock(mutex_);
  for (BusMessage& message : batch) {
    uint64_t ticket = message.ticket;
    if (cut_) {
      confirms_.push_back({ticket, BusConfirm::Outcome::lost});
      continue;
    }
    if (removed_.contains(message.target)) {
      confirms_.push_back({ticket, BusConfirm::Outcome::unroutable});
      continue;
    }
    published_[message.target].push_back(std::move(message));
    confirms_.push_back({ticket, BusConfirm::Outcome::confirmed});
  }
}

std::vector<BusConfirm> MemoryBus::confirms() {
  std::lock_guard lock(mutex_);
  return std::exchange(confirms_, {});
}

size_t MemoryBus::room() const {
  std::lock_guard lock(mutex_);
  if (cut_) return 0;
  return queue_messages_max - std::min(confirms_.size(), queue_messages_max);
}

std::vector<BusDelivery> MemoryBus::pull(size_t most) {
  std::lock_guard lock(mutex_);
  std::vector<BusDelivery> out;
  Instant now = clock_.now();
  if (cut_ || now < resting_until_) return out;
  for (auto at = waiting_.begin(); at != waiting_.end() && out.size() < most;) {
    if (at->ready_at > now) {
      ++at;
      continue;
    }
    at->delivery.id = next_id_++;
    if (at->delivery.redelivered) ++redelivered_;
    pulled_[at->delivery.id] = at->delivery;
    out.push_back(std::move(at->delivery));
    at = waiting_.erase(at);
  }
  return out;
}

void MemoryBus::settle(uint64_t id, BusSettlement settlement) {
  std::lock_guard lock(mutex_);
  auto found = pulled_.find(id);
  if (found == pulled_.end()) return;
  BusDelivery delivery = std::move(found->second);
  pulled_.erase(found);
  if (settlement.kind == BusSettlement::Kind::retry) {
    ++delivery.attempt;
    delivery.redelivered = false;
    waiting_.push_back({clock_.now() + settlement.delay, std::move(delivery)});
  } else if (settlement.kind == BusSettlement::Kind::dead) {
    BusMessage copy{0, dead_queue, delivery.message_id, delivery.body, delivery.headers};
    copy.headers.emplace_back("x-fermata-reason", settlement.reason);
    copy.headers.emplace_back("x-fermata-queue", delivery.queue);
    published_[dead_queue].push_back(std::move(copy));
  }
}

void MemoryBus::give_back() {
  // In front of what has not been delivered yet, in the old order.
  for (auto at = pulled_.rbegin(); at != pulled_.rend(); ++at) {
    at->second.redelivered = true;
    waiting_.push_front({{}, std::move(at->second)});
  }
  pulled_.clear();
}

void MemoryBus::rest(Duration pause) {
  std::lock_guard lock(mutex_);
  give_back();
  resting_until_ = clock_.now() + pause;
}

BusHealth MemoryBus::health() const {
  std::lock_guard lock(mutex_);
  return {!cut_, cut_ ? "the connection was cut" : "", redelivered_};
}

void MemoryBus::send(const std::string& queue, BusMessage message) {
  std::lock_guard lock(mutex_);
  BusDelivery delivery;
  delivery.queue = queue;
  delivery.message_id = std::move(message.id);
  delivery.body = std::move(message.body);
  delivery.headers = std::move(message.headers);
  waiting_.push_back({{}, std::move(delivery)});
}

std::vector<BusMessage> MemoryBus::take(const std::string& queue) {
  std::lock_guard lock(mutex_);
  std::deque<BusMessage> taken = std::exchange(published_[queue], {});
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

void MemoryBus::remove(const std::string& queue) {
  std::lock_guard lock(mutex_);
  removed_.insert(queue);
}

void MemoryBus::restore(const std::string& queue) {
  std::lock_guard lock(mutex_);
  removed_.erase(queue);
}

void MemoryBus::cut() {
  std::lock_guard lock(mutex_);
  give_back();
  cut_ = true;
}

void MemoryBus::mend() {
  std::lock_guard lock(mutex_);
  cut_ = false;
}

}  // namespace fermata
