#pragma once
#include <memory>

#include "base/time.h"
#include "core/wait/zone_table.h"

namespace fermata {

/// Who has zone data. Safe from several threads.
class ZoneSource {
 public:
  virtual ~ZoneSource() = default;
  /// The zone data in force, never null. May look now and then whether there is newer data; what
  /// cannot be read leaves the old data in force.
  virtual std::shared_ptr<const ZoneTable> zones(Instant now) = 0;
};

}  // namespace fermata
