#pragma once
#include <atomic>
#include <map>
#include <set>

#include "host/host.h"
#include "ports/bus.h"

namespace fermata {

/// Publishes what stands in the outbox (C-52, C-66): rows of one run in their order, the last of a
/// run after all before it are confirmed, each removed after its confirm. A crash repeats what was
/// not removed, under the same ids. Used by one thread, in turns.
class Relay {
 public:
  static constexpr size_t page_rows = 256;
  static constexpr Duration unroutable_pause{60'000};
  static constexpr Duration store_pause{1'000};

  Relay(Outbox& outbox, Bus& bus, std::string lane)
      : outbox_(outbox), bus_(bus), lane_(std::move(lane)) {}

  NextTurn turn(Instant now);
  /// Told of a target that nobody keeps messages for.
  std::function<void(const std::string& target)> on_unroutable;

  // Safe from any thread.
  uint64_t rows() const { return rows_; }
  uint64_t published() const { return published_; }
  /// Since when the oldest row is known to be the oldest; nothing when there is none.
  std::optional<Instant> oldest() const {
    int64_t ms = oldest_ms_;
    return ms == 0 ? std::nullopt : std::optional(Instant{ms});
  }

 private:
  struct Sent {
    RunId run;
    std::string target;
  };
  void harvest(Instant now);
  bool remove_confirmed(Instant now);
  void begin_again();
  void publish_some(Instant now);
  bool may_go(const OutboxRow& row) const;
  void release_last(std::vector<BusMessage>& batch);
  BusMessage send(uint64_t number, OutboxRow row);
  void count(Instant now);

  Outbox& outbox_;
  Bus& bus_;
  const std::string lane_;
  uint64_t cursor_ = 0;            ///< everything up to here is under way, held or gone
  std::map<uint64_t, Sent> sent_;  ///< by number, which is the ticket too
  std::map<RunId, size_t> runs_;   ///< how many of each are in `sent_`
  std::map<uint64_t, OutboxRow> waiting_last_;
  std::vector<uint64_t> confirmed_;  ///< to be removed
  std::set<RunId> behind_;           ///< runs of which a row was left behind: what follows waits
  std::map<std::string, Instant> unroutable_;
  bool again_ = false;  ///< from the first row on, once nothing is under way
  Instant not_before_;
  Instant counted_at_;
  uint64_t oldest_ = 0;  ///< number of the oldest row when they were counted
  bool more_ = false;
  std::atomic<uint64_t> rows_{0}, published_{0};
  std::atomic<int64_t> oldest_ms_{0};
};

}  // namespace fermata
