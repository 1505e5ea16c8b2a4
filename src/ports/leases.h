#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace fermata {

/// What became of a question about a lease.
enum class LeaseState : uint8_t {
  held,         ///< it is ours until its time is over
  busy,         ///< somebody else has it; never a success
  gone,         ///< it is not ours any more: its time was over, or somebody else has taken it
  lost,         ///< whoever keeps leases has forgotten all of them and is being told anew
  unavailable,  ///< nobody can say; nothing may be begun under it
};

struct LeaseAnswer {
  LeaseState state = LeaseState::unavailable;
  uint64_t fence = 0;  ///< of a lease that is held; grows with every holder of the same name
  bool operator==(const LeaseAnswer&) const = default;
};

struct LeaseWanted {
  std::string name;  ///< such as `scheduler:snapshot:writer`
  Duration ttl;
};

struct LeaseHeld {
  std::string name;
  uint64_t fence = 0;
  Duration ttl;  ///< from now on, when it is renewed
};

/// Who may do what alone, for a while. Advisory: a lease that is lost or held twice costs work done
/// twice, never truth, because whatever is done under it is judged by versions and fences. Holders
/// renew after a third of its time. Used by one thread.
class Leases {
 public:
  virtual ~Leases() = default;
  /// One answer for each, in order: held, busy, lost or unavailable. One that this process holds
  /// already is busy too.
  virtual std::vector<LeaseAnswer> take(std::span<const LeaseWanted> wanted) = 0;
  /// The same: held, gone, lost or unavailable.
  virtual std::vector<LeaseAnswer> renew(std::span<const LeaseHeld> held) = 0;
  /// Those that are still ours are free from now on; of others nothing changes.
  virtual void give_back(std::span<const LeaseHeld> held) = 0;

  LeaseAnswer take(const std::string& name, Duration ttl) {
    LeaseWanted one{name, ttl};
    return take(std::span<const LeaseWanted>(&one, 1)).front();
  }
  LeaseAnswer renew(const LeaseHeld& held) {
    return renew(std::span<const LeaseHeld>(&held, 1)).front();
  }
  void give_back(const LeaseHeld& held) { give_back(std::span<const LeaseHeld>(&held, 1)); }
};

}  // namespace fermata
