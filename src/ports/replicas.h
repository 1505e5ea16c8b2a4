#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace fermata {

/// What a process that shares the store says of itself (C-10, C-100).
struct Replica {
  std::string id;  ///< of this life of the process
  std::string name;
  std::string version;
  std::string formats;               ///< of records that it reads
  std::string role;                  ///< `leader` or `follower`
  std::string settings;              ///< a fingerprint of those that should be the same everywhere
  std::optional<int64_t> skew_ms{};  ///< its clock less the store's, where that was measured
  Instant started_at{};
  Instant seen_at{};
  bool lives = false;  ///< seen within `replica_silence`
};

/// After so much silence a replica is taken for dead (C-19).
constexpr Duration replica_silence{10'000};

/// The processes on one store. Safe from several threads.
class Replicas {
 public:
  virtual ~Replicas() = default;
  /// From now on this is told to the others, every few seconds; its id, times and skew are not ours
  /// to choose.
  virtual void introduce(const Replica& self) = 0;
  /// Those that were seen within a day, this one among them; those that live first.
  virtual Outcome<std::vector<Replica>> replicas() = 0;
  virtual std::string own_id() const = 0;
};

}  // namespace fermata
