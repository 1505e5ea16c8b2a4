#include <algorithm>

#include "adapters/memory/memory_store.h"

namespace fermata {

Outcome<std::vector<Outbox::Entry>> MemoryStore::outbox(const std::string& lane, uint64_t after,
                                                        size_t limit) {
  std::lock_guard lock(mutex_);
  std::vector<Entry> out;
  for (auto at = outbox_.upper_bound(after); at != outbox_.end() && out.size() < limit; ++at)
    if (at->second.lane == lane) out.push_back({at->first, at->second});
  return out;
}

Outcome<void> MemoryStore::remove_from_outbox(std::span<const uint64_t> numbers) {
  std::lock_guard lock(mutex_);
  for (uint64_t number : numbers) outbox_.erase(number);
  return {};
}

Outcome<uint64_t> MemoryStore::outbox_rows(const std::string& lane) {
  std::lock_guard lock(mutex_);
  auto of_lane = [&](const auto& entry) { return entry.second.lane == lane; };
  return static_cast<uint64_t>(std::count_if(outbox_.begin(), outbox_.end(), of_lane));
}

Outcome<bool> MemoryStore::is_marked(const RunId& run, const std::string& mark) {
  std::lock_guard lock(mutex_);
  return message_marks_.contains({run, mark});
}

Outcome<void> MemoryStore::forget_marks(Instant before) {
  std::lock_guard lock(mutex_);
  std::erase_if(message_marks_, [&](const auto& entry) { return entry.second < before; });
  return {};
}

Outcome<void> MemoryStore::bury(const DeadLetterEntry& entry) {
  std::lock_guard lock(mutex_);
  auto same = [&](const auto& other) { return other.second.letter.id == entry.letter.id; };
  if (std::none_of(letters_.begin(), letters_.end(), same)) keep_letter(entry);
  return {};
}

}  // namespace fermata
