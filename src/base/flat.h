#pragma once
#include <algorithm>
#include <utility>
#include <vector>

namespace fermata {

/// A set of few values, in order, in one piece of memory that it keeps when it becomes empty. For
/// values that mostly come in growing order.
template <class T>
class FlatSet {
 public:
  using value_type = T;
  bool empty() const { return values_.empty(); }
  size_t size() const { return values_.size(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool contains(const T& value) const { return std::binary_search(begin(), end(), value); }

  void insert(T value) {
    auto at = std::lower_bound(values_.begin(), values_.end(), value);
    if (at == values_.end() || *at != value) values_.insert(at, std::move(value));
  }
  void erase(const T& value) {
    auto at = std::lower_bound(values_.begin(), values_.end(), value);
    if (at != values_.end() && *at == value) values_.erase(at);
  }
  void clear() { values_.clear(); }

 private:
  std::vector<T> values_;
};

/// The same with a value for each key.
template <class K, class T>
class FlatMap {
 public:
  using key_type = K;
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  const T* find(const K& key) const {
    auto at = place_of(entries_, key);
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
  }
  T* find(const K& key) { return const_cast<T*>(std::as_const(*this).find(key)); }
  T& operator[](const K& key) {
    auto at = place_of(entries_, key);
    if (at == entries_.end() || at->first != key) at = entries_.insert(at, {key, T{}});
    return at->second;
  }

 private:
  template <class Entries>
  static auto place_of(Entries& entries, const K& key) {
    return std::lower_bound(
        entries.begin(), entries.end(), key,
        [](const auto& entry, const K& sought) { return entry.first < sought; });
  }
  std::vector<std::pair<K, T>> entries_;
};

}  // namespace fermata
