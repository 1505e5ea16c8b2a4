#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "ports/clock.h"
#include "ports/counters.h"
#include "ports/feed.h"
#include "ports/leases.h"
#include "ports/timers.h"

namespace fermata::cli {

/// How to reach what stands beside the store; settings `timers`, `leases` and `redis_…`.
struct SharedIndexWanted {
  std::string timers;  ///< address, or empty: the store's own
  std::string leases;  ///< likewise, with the counters
  std::string password;
  std::string prefix;
  std::string cluster;
  std::string replica;  ///< tells this process from others
  bool unsafe_allowed = false;
  bool full_payloads = false;
  std::vector<std::string> mirrors;
  bool time_is_virtual = false;
  int64_t start_patience_ms = 30'000;
  std::function<void()> on_due;  ///< called on another thread
  /// What is wrong, or empty when it is over; called on another thread.
  std::function<void(const std::string&)> on_trouble;
  std::function<void(const std::string&)> on_warning;  ///< of what is allowed and not safe
};

/// An index beside the store, where replicas meet. Whatever it loses costs lateness, never truth.
/// Owns what it gives; each is absent where the settings leave it to the store.
class SharedIndex {
 public:
  virtual ~SharedIndex() = default;
  virtual Timers* timers() = 0;
  virtual Counters* counters() = 0;
  virtual Leases* leases() = 0;
  /// Hands everything on to `inner`, and tells the index what it shows to others.
  virtual std::unique_ptr<Feed> feed(Feed& inner) = 0;
  /// False where nothing is shown of waits.
  virtual bool shows_waits() const = 0;
  /// Pending waits of an earlier life; before `begin`.
  virtual void recall(std::span<const WaitRecord> waits) = 0;
  /// Begins to show the workers that `ask` tells of; it may wait, and has none to tell now and
  /// then.
  virtual void begin(std::function<std::optional<Value>()> ask_workers) = 0;
  virtual void stop() = 0;
  /// Components that are away; safe from any thread, as is the next.
  virtual std::vector<std::string> degraded() const = 0;
  /// As lines of /metrics.
  virtual std::string metrics() const = 0;
};

}  // namespace fermata::cli
