#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "ports/wire.h"

namespace fermata {

/// The reference of the port: everything published is there at once, and what is delivered is said
/// by whoever holds it.
class MemoryWire final : public Wire {
 public:
  [[nodiscard]] bool publish(WireMessage message) override {
    std::lock_guard lock(mutex_);
    if (full_) return false;
    bool fresh = message.id.empty() || ids_.insert(message.id).second;
    if (message.ticket != 0) news_.confirms.push_back({message.ticket, !fresh});
    if (fresh) published_.push_back(std::move(message));
    changed_.notify_all();
    return true;
  }
  void announce(const std::string& subject, const std::string& bytes) override {
    std::lock_guard lock(mutex_);
    announced_.emplace_back(subject, bytes);
    changed_.notify_all();
  }
  void settle(uint64_t number, WireSettlement settlement) override {
    std::lock_guard lock(mutex_);
    settled_[number] = settlement;
    changed_.notify_all();
  }
  News wait(size_t, Duration patience) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(patience.ms), [&] {
      return woken_ || !news_.deliveries.empty() || !news_.confirms.empty();
    });
    woken_ = false;
    return std::exchange(news_, {});
  }
  void wake() override {
    std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }
  Outcome<uint64_t> pending(const std::string&) override { return uint64_t{0}; }
  Outcome<std::optional<std::string>> latest(const std::string& subject) override {
    std::lock_guard lock(mutex_);
    std::optional<std::string> newest;
    for (const WireMessage& message : published_)
      if (message.subject == subject) newest = message.bytes;
    return newest;
  }
  WireHealth health() const override { return {.up = true}; }

  // For whoever plays the rest of the world.
  void deliver(WireDelivery delivery) {
    std::lock_guard lock(mutex_);
    news_.deliveries.push_back(std::move(delivery));
    changed_.notify_all();
  }
  /// What became of a delivery; nothing when nothing has within the time.
  std::optional<WireSettlement> settled(uint64_t number,
                                        std::chrono::seconds patience = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return settled_.contains(number); });
    auto found = settled_.find(number);
    return found == settled_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<WireMessage> published(const std::string& subject) const {
    std::lock_guard lock(mutex_);
    std::vector<WireMessage> out;
    for (const WireMessage& message : published_)
      if (message.subject == subject) out.push_back(message);
    return out;
  }
  std::vector<std::pair<std::string, std::string>> announced() const {
    std::lock_guard lock(mutex_);
    return announced_;
  }
  void set_full(bool full) {
    std::lock_guard lock(mutex_);
    full_ = full;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool full_ = false;
  News news_;
  std::set<std::string> ids_;
  std::vector<WireMessage> published_;
  std::vector<std::pair<std::string, std::string>> announced_;
  std::map<uint64_t, WireSettlement> settled_;
};

}  // namespace fermata
