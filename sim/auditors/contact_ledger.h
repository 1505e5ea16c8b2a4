#pragma once
#include <map>
#include <set>

#include "core/model/contact.h"
#include "sim/auditors/ledger.h"

namespace fermata::sim {

/// Holds what must hold of contacts and the runs about them, at every durable write: versions count
/// on, no run of a contact that is out is alive, none begins, and a wait that follows a field is
/// where the field says.
class ContactLedger {
 public:
  ContactLedger(const Ledger& ledger, const Trace& trace, ProbeHook probe)
      : ledger_(ledger), trace_(trace), probe_(std::move(probe)) {}

  /// After the runs of the same group.
  void written(const Contact& contact);
  void run_written(const RunId& id);
  /// All that was written together is there.
  void group_written();

 private:
  void demand_ended(const Contact& contact) const;
  void demand_followed(const Contact& contact) const;

  const Ledger& ledger_;
  const Trace& trace_;
  ProbeHook probe_;
  std::map<ContactKey, Contact> known_;
  std::set<RunId> runs_;
  std::vector<RunId> begun_;  ///< with the writes under way
};

}  // namespace fermata::sim
