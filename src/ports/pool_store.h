#pragma once
#include <string>

#include "base/error.h"
#include "core/model/summary.h"

namespace fermata {

/// What is stored of pools and limits (jobs.md §6): the document of the file as it was last good,
/// and the one that people have made by requests.
struct StoredPools {
  static constexpr bool extensible = true;
  uint64_t revision = 0;  ///< grows with every change; the ETag
  Value file{};           ///< null: none was ever read
  std::string file_sha256{};
  Value api{};
  Instant at{};
  std::string by{};
  bool operator==(const StoredPools&) const = default;
  template <class V> void each(V&& v) {
    v("revision", revision);
    v("file", file);
    v("file_sha256", file_sha256);
    v("api", api);
    v("at", at);
    v("by", by);
  }
};

/// Safe from several threads; a change is one durable transaction together with its audit line.
class PoolStore {
 public:
  virtual ~PoolStore() = default;
  virtual Outcome<StoredPools> stored_pools() = 0;
  /// Takes effect iff the stored revision is one less than that of `pools`; else it fails with
  /// version_conflict.
  virtual Outcome<void> change_pools(const StoredPools& pools, const AuditLine& audit) = 0;
};

}  // namespace fermata
