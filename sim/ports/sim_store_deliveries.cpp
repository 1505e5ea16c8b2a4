#include "sim/ports/sim_store.h"

/// The callbacks of the simulated store.
namespace fermata::sim {

void SimStore::keep(const Delivery& delivery) {
  auto [at, fresh] = deliveries_.try_emplace(delivery.id, delivery);
  if (!fresh) return;
  at->second.version = 1;
  delivery_order_.push_back(delivery.id);
}

bool SimStore::fits(const DeliveryWrite& write) const {
  auto found = deliveries_.find(write.delivery.id);
  return found != deliveries_.end() &&
         (found->second.version == write.expected_version || sabotage_ == Sabotage::version_check);
}

void SimStore::write(const DeliveryWrite& write) {
  Delivery& kept = deliveries_.at(write.delivery.id);
  kept = write.delivery;
  kept.version = write.expected_version + 1;
}

Outcome<PendingDeliveryPage> SimStore::pending_deliveries(uint64_t after, size_t limit) {
  chaos_.port_call("store.pending_deliveries");
  if (chaos_.strikes(Fault::pending_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  PendingDeliveryPage page;
  page.cursor = after;
  if (sabotage_ == Sabotage::sweep) return page;
  for (size_t i = after; i < delivery_order_.size(); ++i) {
    const Delivery& one = deliveries_.at(delivery_order_[i]);
    if (one.state != DeliveryState::pending) continue;
    if (page.deliveries.size() == limit) {
      page.more = true;
      break;
    }
    page.deliveries.push_back(
        {one.id, one.run, one.sequence, one.next_at.value_or(one.created_at)});
    page.cursor = i + 1;
  }
  return page;
}

Outcome<std::vector<Delivery>> SimStore::load_deliveries(std::span<const std::string> ids) {
  chaos_.port_call("store.load_deliveries");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<Delivery> out;
  for (const std::string& id : ids)
    if (auto found = deliveries_.find(id); found != deliveries_.end()) out.push_back(found->second);
  return out;
}

}  // namespace fermata::sim
