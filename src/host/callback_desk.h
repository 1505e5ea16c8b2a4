#pragma once
#include <deque>
#include <map>

#include "base/queue.h"
#include "base/random.h"
#include "host/alarm.h"
#include "host/host.h"
#include "host/touched_delivery.h"

namespace fermata {

/// The desk of callbacks (ADR 0028): which deliveries are still to be made, in which order, and the
/// calls under way. It decides nothing that is stored; the partition commits what it hands over.
/// Of one execution only the first in order is ever under way. Except for `submit`, used by the
/// partition's thread alone.
class CallbackDesk {
 public:
  CallbackDesk(Store& store, Calls* calls, Entropy& entropy, const CallbackSettings& settings);

  /// From any thread. False when too many wait.
  bool submit(Redelivery wanted) { return queue_.push(wanted); }

  /// Written with its run, or found at start and by the sweep.
  void add(const Delivery& delivery);
  void recover(const PendingDelivery& pending);
  /// Answers that have come and wishes, to be decided; at most `most`.
  std::vector<DeliveryItem> gather(Instant now, size_t most);
  /// Sends what is due, as far as there is room, in the way the accounts have chosen.
  void send_due(Instant now, std::shared_ptr<const AccountTable> accounts = nullptr);
  /// To be decided again later: the store could not be written.
  void put_off(DeliveryItem item, Instant until) { deferred_.emplace(until, std::move(item)); }
  /// The record as it is now: done with, or to be sent again when it says.
  void settled(const Delivery& delivery);
  /// The stored record is another than was thought: what is known of it is asked for anew.
  void forget(const RunId& run, uint64_t sequence);
  /// The delivery that is under way or in hand.
  const Delivery* in_hand(const std::string& id) const;
  bool is_under_way(const std::string& id) const { return in_hand_.contains(id); }
  double fraction() { return Random(entropy_.next()).fraction(); }

  size_t pending() const { return pending_; }
  bool idle() const { return queue_.size() == 0; }
  bool quiet() const;
  std::optional<Instant> next_due() const;

 private:
  struct Entry {
    std::string id;
    Instant next_at;
  };
  struct InHand {
    Delivery delivery;
    std::string endpoint;
    bool sent = false;
    bool answered = false;
  };
  struct Endpoint {
    size_t under_way = 0;
    std::deque<RunId> waiting;
  };
  void watch(const RunId& run);
  void look_for_lost(const std::string& id, const RunId& run);
  bool load(const RunId& run, const Entry& entry, Instant now);
  void send(const RunId& run, InHand& held, Instant now);
  void leave(const std::string& endpoint, Instant now);
  void try_to_send(const RunId& run, Instant now);

  Store& store_;
  Calls* calls_;
  Entropy& entropy_;
  const CallbackSettings settings_;
  BoundedQueue<Redelivery> queue_;
  /// By execution and sequence; the first of each is the one to be sent.
  std::map<RunId, std::map<uint64_t, Entry>> runs_;
  std::map<RunId, std::string> busy_;  ///< whose delivery is in hand
  std::map<std::string, InHand> in_hand_;
  std::map<std::string, Endpoint> endpoints_;
  Alarm<RunId> alarm_;
  std::multimap<Instant, DeliveryItem> deferred_;
  Instant delivery_now_;                          ///< of the turn under way
  std::shared_ptr<const AccountTable> accounts_;  ///< as known last; null: all have the defaults
  size_t under_way_ = 0;
  size_t pending_ = 0;
};

}  // namespace fermata
