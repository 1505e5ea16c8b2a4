#include "ports/deliveries.h"

namespace fermata {

bool matches(const DeliveryFilter& filter, const Delivery& delivery) {
  if (!filter.account.empty() && filter.account != delivery.account) return false;
  if (!filter.run.empty() && filter.run != delivery.run) return false;
  return !filter.state || *filter.state == delivery.state;
}

}  // namespace fermata
