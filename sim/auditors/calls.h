#pragma once
#include <map>
#include <set>
#include <tuple>

#include "core/model/call.h"
#include "sim/auditors/ledger.h"

namespace fermata::sim {

/// Every request that leaves belongs to an attempt that the store says is under way; one key names
/// one activation; what may be sent at most once is.
class CallAuditor {
 public:
  CallAuditor(const Ledger& ledger, ProbeHook probe) : ledger_(ledger), probe_(std::move(probe)) {}
  void sent(const CallTicket& ticket, const CallRequest& request);

 private:
  using Place = std::tuple<RunId, NodeIndex, Lineage, uint32_t>;
  const Ledger& ledger_;
  ProbeHook probe_;
  std::map<CallTicket, uint32_t> times_;
  std::map<std::string, Place> keys_;
};

}  // namespace fermata::sim
