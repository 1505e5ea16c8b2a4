#pragma once
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fermata::flow {

/// Texts by content, each with the number of its first appearance, from 1 on. They must outlive it.
class TextTable {
 public:
  /// 0 when the text is new; it then gets the next number.
  size_t find_or_add(std::string_view text) {
    if (texts_.size() * 2 >= places_.size()) grow();
    size_t mask = places_.size() - 1;
    size_t i = hash_of(text) & mask;
    for (; places_[i] != 0; i = (i + 1) & mask) {
      if (texts_[places_[i] - 1] == text) return places_[i];
    }
    texts_.push_back(text);
    places_[i] = static_cast<uint32_t>(texts_.size());
    return 0;
  }

 private:
  static uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash ^ hash >> 29;
  }
  void grow() {
    places_.assign(std::bit_ceil(texts_.size() * 4 + 32), 0);
    size_t mask = places_.size() - 1;
    for (size_t n = 0; n < texts_.size(); ++n) {
      size_t i = hash_of(texts_[n]) & mask;
      while (places_[i] != 0) i = (i + 1) & mask;
      places_[i] = static_cast<uint32_t>(n + 1);
    }
  }

  std::vector<std::string_view> texts_;
  std::vector<uint32_t> places_;
};

}  // namespace fermata::flow
