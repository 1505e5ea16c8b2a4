#include <algorithm>
#include <bit>

#include "core/flow/heap.h"

namespace fermata::flow {

namespace {

uint64_t hash_of(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash ^ hash >> 29;
}

}  // namespace

Datum* MapObject::find(std::string_view key) {
  if (index_.empty()) {
    for (Entry& entry : entries_) {
      std::string_view other = text_of(entry.key);
      // Most keys differ in length or in their first letter.
      if (other.size() != key.size()) continue;
      if (key.empty() || (other[0] == key[0] && other == key)) return &entry.value;
    }
    return nullptr;
  }
  size_t mask = index_.size() - 1;
  for (size_t i = hash_of(key) & mask; index_[i] != 0; i = (i + 1) & mask) {
    Entry& entry = entries_[index_[i] - 1];
    if (text_of(entry.key) == key) return &entry.value;
  }
  return nullptr;
}

void MapObject::append(Datum key, Datum value) {
  entries_.push_back({key, value});
  if (entries_.size() * 2 > index_.size() && entries_.size() > linear_max) {
    index_all();
  } else if (!index_.empty()) {
    index_one(entries_.size() - 1);
  }
}

bool MapObject::erase(std::string_view key) {
  auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return text_of(entry.key) == key; });
  if (found == entries_.end()) return false;
  entries_.erase(found);
  index_.clear();
  if (entries_.size() > linear_max) index_all();
  return true;
}

void MapObject::index_all() {
  index_.assign(std::bit_ceil(entries_.size() * 4), 0);
  for (size_t i = 0; i < entries_.size(); ++i) index_one(i);
}

void MapObject::index_one(size_t position) {
  size_t mask = index_.size() - 1;
  size_t i = hash_of(text_of(entries_[position].key)) & mask;
  while (index_[i] != 0) i = (i + 1) & mask;
  index_[i] = static_cast<uint32_t>(position + 1);
}

}  // namespace fermata::flow
