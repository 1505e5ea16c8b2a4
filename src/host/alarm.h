#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"

namespace fermata {

/// When roots of one kind want to be looked at. At most one entry per root, rebuilt from the rows
/// at start. Used by one thread.
template <class Key>
class Alarm {
 public:
  struct Entry {
    Instant at;
    Key key;
    auto operator<=>(const Entry&) const = default;
  };

  void set(const Key& key, std::optional<Instant> due) {
    if (auto found = by_key_.find(key); found != by_key_.end()) {
      if (due == found->second) return;
      by_time_.erase({found->second, key});
      by_key_.erase(found);
    }
    if (!due) return;
    by_key_.emplace(key, *due);
    by_time_.insert({*due, key});
  }
  /// Takes up to `most` that are due, earliest first.
  std::vector<Entry> due(Instant now, size_t most) {
    std::vector<Entry> out;
    while (out.size() < most && !by_time_.empty() && by_time_.begin()->at <= now) {
      out.push_back(*by_time_.begin());
      by_key_.erase(out.back().key);
      by_time_.erase(by_time_.begin());
    }
    return out;
  }
  std::optional<Instant> next() const {
    if (by_time_.empty()) return std::nullopt;
    return by_time_.begin()->at;
  }
  bool has(const Key& key) const { return by_key_.contains(key); }
  size_t size() const { return by_time_.size(); }

 private:
  std::set<Entry> by_time_;
  std::map<Key, Instant> by_key_;
};

}  // namespace fermata
