#pragma once
#include <optional>

#include "ports/leases.h"

namespace fermata {

/// One who wants to hold a lease for as long as it lives (C-91): renews after a third of its time;
/// after three renewals in a row that nobody answered it begins nothing more under the lease, and
/// takes it anew when its time must be over. Used by one thread.
class LeaseHolder {
 public:
  static constexpr int strikes_max = 3;

  LeaseHolder(Leases& leases, std::string name, Duration ttl)
      : leases_(leases), name_(std::move(name)), ttl_(ttl) {}

  /// Takes or renews it where that is due. True when work may be begun under it now.
  bool turn(Instant now);
  bool may_begin() const { return fence_ && strikes_ < strikes_max; }
  /// Of the lease that is or was last held; 0: none.
  uint64_t fence() const { return fence_.value_or(0); }
  /// When the next turn has something to do.
  Instant next() const { return next_; }
  /// For an end that was asked for. One that nobody could renew is left to its time.
  void give_back();

 private:
  Duration third() const { return {ttl_.ms / 3}; }
  void take(Instant now);
  void renew(Instant now);

  Leases& leases_;
  const std::string name_;
  const Duration ttl_;
  std::optional<uint64_t> fence_;
  int strikes_ = 0;  ///< renewals in a row without an answer
  Instant until_{};  ///< when it ends, if it was not renewed since
  Instant next_{};
};

}  // namespace fermata
