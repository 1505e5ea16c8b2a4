#pragma once
#include <set>
#include <tuple>
#include <unordered_map>

#include "ports/timers.h"

namespace fermata {

/// What this process knows of its timers, at most one per run: those it keeps to itself because
/// they are near, those that Redis is to bring, and those that Redis has brought. Not safe from
/// several threads.
class TimerBook {
 public:
  enum class Kept : uint8_t {
    near,    ///< in memory alone
    shared,  ///< in Redis too, or on its way there
    ready,   ///< claimed from Redis, by us
  };
  struct Entry {
    Instant due;
    TimerLane lane = 0;
    Kept kept = Kept::near;
    uint64_t order = 0;
    std::string member{};   ///< what Redis knows it by
    std::string message{};  ///< what to put there with it; let go once it was sent
  };
  /// Ordered by due time, then by when it was put there. The run is the key in the book.
  using Place = std::tuple<Instant, uint64_t, const RunId*>;
  using Places = std::set<Place>;

  Entry* find(const RunId& run);
  /// In place of what was known of the run.
  void put(const RunId& run, Entry entry);
  void move(const RunId& run, Kept kept);
  void erase(const RunId& run);

  const Places& places(Kept kept) const { return places_[static_cast<size_t>(kept)]; }
  const Entry& at(const Place& place) const { return entries_.at(*std::get<2>(place)); }
  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::unordered_map<RunId, Entry>;
  Place place_of(const Entries::value_type& entry) const;

  Entries entries_;
  Places places_[3];
  uint64_t orders_ = 0;
};

}  // namespace fermata
