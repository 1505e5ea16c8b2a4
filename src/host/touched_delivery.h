#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/call.h"
#include "host/callback_intake.h"
#include "host/groups.h"
#include "ports/deliveries.h"

namespace fermata {

/// Something that a delivery is to be changed by: what became of an attempt, or somebody's wish.
struct DeliveryItem {
  std::string delivery;
  std::optional<CallAnswer> answer{};
  std::optional<Redelivery> wanted{};
};

/// What was decided about a delivery and is not durable yet.
struct TouchedDelivery {
  Delivery next;
  uint64_t expected_version = 0;
  Groups::Member group = 0;
  DeliveryItem item;
  std::vector<AuditLine> audit{};
  std::vector<DeadLetterEntry> dead_letters{};
};

}  // namespace fermata
