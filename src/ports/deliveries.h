#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/delivery.h"
#include "core/model/summary.h"
#include "ports/dead_letters.h"

namespace fermata {

/// What a commit changes of a delivery that is there: it takes effect iff the stored version is
/// `expected_version`.
struct DeliveryWrite {
  uint64_t expected_version = 0;
  Delivery delivery;  ///< as it is from now on
  std::vector<AuditLine> audit{};
  uint32_t group = 0;  ///< as of a run's write
  /// That it was given up, or is sent again after that (W-74): each as it is from now on.
  std::vector<DeadLetterEntry> dead_letters{};
};

/// Which deliveries a list shows; empty fields do not filter.
struct DeliveryFilter {
  AccountId account{};
  std::optional<DeliveryState> state{};
  RunId run{};
};
bool matches(const DeliveryFilter& filter, const Delivery& delivery);

struct DeliveryPage {
  std::vector<Delivery> items;  ///< newest first
  std::string next_cursor;      ///< empty on the last page
};

/// Where a pending delivery stands, without what it says.
struct PendingDelivery {
  std::string id;
  RunId run;
  uint64_t sequence = 0;
  Instant next_at;
};
struct PendingDeliveryPage {
  std::vector<PendingDelivery> deliveries;
  uint64_t cursor = 0;
  bool more = false;
};

}  // namespace fermata
