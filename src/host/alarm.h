#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"

namespace fermata {

/// When roots of one kind want to be looked at. At most one entry per root, rebuilt from the rows
/// at start. Keys are kept as `Kept`, which may be smaller. Used by one thread.
template <class Key, class Kept = Key>
class Alarm {
 public:
  struct Entry {
    Instant at;
    Key key;
  };

  void set(const Key& key, std::optional<Instant> due) {
    Kept kept(key);
    auto found = by_key_.find(kept);
    if (found != by_key_.end()) {
      if (due == found->second) return;
      by_time_.erase({found->second, &found->first});
      if (!due) by_key_.erase(found);
    }
    if (!due) return;
    if (found == by_key_.end()) {
      found = by_key_.emplace(std::move(kept), *due).first;
    } else {
      found->second = *due;
    }
    by_time_.insert({*due, &found->first});
  }
  /// Takes up to `most` that are due, earliest first.
  std::vector<Entry> due(Instant now, size_t most) {
    std::vector<Entry> out;
    while (out.size() < most && !by_time_.empty() && by_time_.begin()->at <= now) {
      const Kept* key = by_time_.begin()->key;
      out.push_back({by_time_.begin()->at, Key(*key)});
      by_time_.erase(by_time_.begin());
      by_key_.erase(by_key_.find(*key));
    }
    return out;
  }
  std::optional<Instant> next() const {
    if (by_time_.empty()) return std::nullopt;
    return by_time_.begin()->at;
  }
  bool has(const Key& key) const { return by_key_.contains(Kept(key)); }
  size_t size() const { return by_time_.size(); }

 private:
  /// Of those at one instant the one with the lower key comes first.
  struct Due {
    Instant at;
    const Kept* key;  ///< in `by_key_`
    bool operator<(const Due& other) const {
      return at != other.at ? at < other.at : *key < *other.key;
    }
  };

  std::map<Kept, Instant> by_key_;
  std::set<Due> by_time_;
};

}  // namespace fermata
