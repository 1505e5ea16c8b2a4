#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

/// What the store keeps of callbacks.
namespace fermata {

using sqlite::ReadConnection;

Outcome<PendingDeliveryPage> SqliteStore::pending_deliveries(uint64_t after, size_t limit) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.deliveries.pending(after, limit); });
}

Outcome<std::vector<Delivery>> SqliteStore::load_deliveries(std::span<const std::string> ids) {
  if (!parts_->committing.busy() || !parts_->writer.settled())
    return parts_->writer.load_deliveries(ids);
  return parts_->loading.read([&](ReadConnection& c) { return c.deliveries.load(ids); });
}

Outcome<std::optional<Delivery>> SqliteStore::find_delivery(const std::string& id) {
  return parts_->readers.read([&](ReadConnection& c) { return c.deliveries.find(id); });
}

Outcome<DeliveryPage> SqliteStore::list_deliveries(const DeliveryFilter& filter, size_t limit,
                                                   const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.deliveries.list(filter, limit, before); });
}

}  // namespace fermata
