#include "adapters/memory/memory_store.h"
#include "ports/cursor.h"

namespace fermata {

void MemoryStore::keep_delivery(const Delivery& delivery) {
  auto [at, fresh] = delivery_at_.try_emplace(delivery.id, deliveries_made_ + 1);
  if (!fresh) return;
  ++deliveries_made_;
  Delivery& kept = deliveries_[at->second] = delivery;
  kept.version = 1;
}

void MemoryStore::forget_deliveries(const RunId& run) {
  std::erase_if(deliveries_, [&](const auto& entry) {
    const Delivery& delivery = entry.second;
    // What is still to be told outlives its run.
    if (delivery.run != run || delivery.state == DeliveryState::pending) return false;
    delivery_at_.erase(delivery.id);
    return true;
  });
}

bool MemoryStore::fits(const DeliveryWrite& write) const {
  auto found = delivery_at_.find(write.delivery.id);
  return found != delivery_at_.end() &&
         deliveries_.at(found->second).version == write.expected_version;
}

CommitOutcome MemoryStore::write(const DeliveryWrite& write) {
  if (!fits(write)) return CommitOutcome::conflict;
  Delivery& kept = deliveries_.at(delivery_at_.at(write.delivery.id));
  kept = write.delivery;
  kept.version = write.expected_version + 1;
  for (const DeadLetterEntry& entry : write.dead_letters) keep_letter(entry);
  return CommitOutcome::done;
}

Outcome<PendingDeliveryPage> MemoryStore::pending_deliveries(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  PendingDeliveryPage page;
  page.cursor = after;
  for (auto at = deliveries_.upper_bound(after); at != deliveries_.end(); ++at) {
    const Delivery& delivery = at->second;
    if (delivery.state != DeliveryState::pending) continue;
    if (page.deliveries.size() == limit) {
      page.more = true;
      break;
    }
    page.deliveries.push_back({delivery.id, delivery.run, delivery.sequence,
                               delivery.next_at.value_or(delivery.created_at)});
    page.cursor = at->first;
  }
  return page;
}

Outcome<std::vector<Delivery>> MemoryStore::load_deliveries(std::span<const std::string> ids) {
  std::lock_guard lock(mutex_);
  std::vector<Delivery> out;
  for (const std::string& id : ids)
    if (auto found = delivery_at_.find(id); found != delivery_at_.end())
      out.push_back(deliveries_.at(found->second));
  return out;
}

Outcome<std::optional<Delivery>> MemoryStore::find_delivery(const std::string& id) {
  FERMATA_TRY(found, load_deliveries(std::span(&id, 1)));
  return found.empty() ? std::optional<Delivery>{} : std::optional(std::move(found.front()));
}

Outcome<DeliveryPage> MemoryStore::list_deliveries(const DeliveryFilter& filter, size_t limit,
                                                   const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  DeliveryPage page;
  uint64_t last = 0;
  for (auto at = deliveries_.lower_bound(before); at != deliveries_.begin();) {
    const auto& [number, delivery] = *--at;
    if (!matches(filter, delivery)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(delivery);
    last = number;
  }
  return page;
}

}  // namespace fermata
