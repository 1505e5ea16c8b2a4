#include "host/relay.h"

#include <algorithm>

namespace fermata {

namespace {

constexpr Duration count_interval{1'000};

}  // namespace

NextTurn Relay::turn(Instant now) {
  harvest(now);
  NextTurn next;
  if (now < not_before_) {
    next.at = not_before_;
    return next;
  }
  if (!remove_confirmed(now)) {
    next.at = not_before_;
    return next;
  }
  for (auto held = unroutable_.begin(); held != unroutable_.end();) {
    if (held->second > now) {
      ++held;
      continue;
    }
    held = unroutable_.erase(held);
    again_ = true;
  }
  if (again_ && sent_.empty()) begin_again();
  more_ = false;
  if (!again_) publish_some(now);
  count(now);
  next.at_once = more_;
  for (const auto& [target, until] : unroutable_)
    if (!next.at || until < *next.at) next.at = until;
  if (now < not_before_) next.at = not_before_;
  return next;
}

void Relay::harvest(Instant now) {
  for (const BusConfirm& confirm : bus_.confirms()) {
    auto found = sent_.find(confirm.ticket);
    if (found == sent_.end()) continue;
    Sent sent = std::move(found->second);
    sent_.erase(found);
    if (auto run = runs_.find(sent.run); --run->second == 0) runs_.erase(run);
    switch (confirm.outcome) {
      case BusConfirm::Outcome::confirmed: confirmed_.push_back(confirm.ticket); break;
      case BusConfirm::Outcome::lost: again_ = true; break;
      case BusConfirm::Outcome::unroutable:
        behind_.insert(sent.run);
        if (!unroutable_.contains(sent.target) && on_unroutable) on_unroutable(sent.target);
        unroutable_[sent.target] = now + unroutable_pause;
        break;
    }
  }
}

/// False when the store could not be written: then nothing new is sent, or the outbox would grow
/// behind what is repeated after a crash.
bool Relay::remove_confirmed(Instant now) {
  if (confirmed_.empty()) return true;
  if (!outbox_.remove_from_outbox(confirmed_)) {
    not_before_ = now + store_pause;
    return false;
  }
  published_ += confirmed_.size();
  confirmed_.clear();
  return true;
}

void Relay::begin_again() {
  again_ = false;
  cursor_ = 0;
  waiting_last_.clear();
  behind_.clear();
}

bool Relay::may_go(const OutboxRow& row) const {
  return !unroutable_.contains(row.target) && !(row.last && behind_.contains(row.run));
}

void Relay::publish_some(Instant now) {
  size_t room = std::min(bus_.room(), page_rows);
  std::vector<BusMessage> batch;
  release_last(batch);
  if (room > batch.size()) {
    auto page = outbox_.outbox(lane_, cursor_, room - batch.size());
    if (!page) {
      not_before_ = now + store_pause;
    } else {
      more_ = page->size() == room - batch.size();
      for (Outbox::Entry& entry : *page) {
        cursor_ = entry.number;
        if (!may_go(entry.row)) {
          behind_.insert(entry.row.run);
        } else if (entry.row.last && runs_.contains(entry.row.run)) {
          waiting_last_.emplace(entry.number, std::move(entry.row));
        } else {
          batch.push_back(send(entry.number, std::move(entry.row)));
        }
      }
    }
  }
  if (!batch.empty()) bus_.publish(std::move(batch));
}

/// Ends whose run has nothing under way any more.
void Relay::release_last(std::vector<BusMessage>& batch) {
  if (bus_.room() == 0) return;
  for (auto at = waiting_last_.begin(); at != waiting_last_.end();) {
    if (runs_.contains(at->second.run) || !may_go(at->second)) {
      ++at;
      continue;
    }
    batch.push_back(send(at->first, std::move(at->second)));
    at = waiting_last_.erase(at);
  }
}

BusMessage Relay::send(uint64_t number, OutboxRow row) {
  sent_.emplace(number, Sent{row.run, row.target});
  ++runs_[row.run];
  BusMessage message;
  message.ticket = number;
  message.target = std::move(row.target);
  message.id = std::move(row.id);
  message.body = std::move(row.body);
  message.headers.emplace_back("x-fermata-sequence", std::to_string(row.sequence));
  if (row.token != 0) message.headers.emplace_back("x-fermata-token", std::to_string(row.token));
  if (!row.traceparent.empty()) message.headers.emplace_back("traceparent", row.traceparent);
  return message;
}

void Relay::count(Instant now) {
  if (now < counted_at_ + count_interval) return;
  counted_at_ = now;
  if (auto found = outbox_.outbox_rows(lane_)) rows_ = *found;
  auto first = outbox_.outbox(lane_, 0, 1);
  if (!first) return;
  if (first->empty()) {
    oldest_ms_ = 0;
  } else if (oldest_ms_ == 0 || first->front().number != oldest_) {
    oldest_ = first->front().number;
    oldest_ms_ = now.ms;
  }
}

}  // namespace fermata
