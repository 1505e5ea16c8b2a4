#pragma once
#include <mutex>
#include <set>
#include <vector>

#include "base/error.h"
#include "ports/wait_tally.h"

namespace fermata::server {

class Api;

/// Watches for waits that should have ended (W-86). When the oldest of an account is later than the
/// account accepts, that is told once: in the log, to streams, in /metrics and to `alerts.url`; and
/// again when it is over.
class OverdueAlerts {
 public:
  explicit OverdueAlerts(Api& api) : api_(api) {}
  /// Looks now and then from here on.
  void start();
  /// Looks now. Safe from any thread that may block.
  Outcome<std::vector<OverdueWaits>> look();
  std::set<AccountId> alerting() const;

 private:
  void tell(const AccountId& account, const OverdueWaits* overdue);
  void again();

  Api& api_;
  mutable std::mutex mutex_;
  std::set<AccountId> alerting_;
};

}  // namespace fermata::server
