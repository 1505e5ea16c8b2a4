#include "sim/auditors/contact_ledger.h"

#include <algorithm>

namespace fermata::sim {

namespace {

bool is_about(const Run& run, const Contact& contact) {
  return run.account == contact.account && run.contact_id == contact.id;
}

}  // namespace

void ContactLedger::written(const Contact& contact) {
  Contact& before = known_[contact.key()];
  trace_.line("contact ", contact.id, " version ", contact.version,
              contact.opted_out_at ? " out" : "", contact.deleted_at ? " deleted" : "");
  if (contact.version != before.version + 1)
    throw Violation{"contact " + contact.id + " goes from version " +
                    std::to_string(before.version) + " to " + std::to_string(contact.version)};
  bool gone = contact.deleted_at && !before.deleted_at;
  if (gone && (!contact.phone.empty() || !contact.fields.is_null()))
    throw Violation{"contact " + contact.id + " was deleted and is still known"};
  before = contact;
  if (gone || contact.opted_out_at) demand_ended(contact);
  if (!contact.opted_out_of.empty()) demand_ended(contact);
  demand_followed(contact);
}

/// After the answer nothing of it resumes, so nothing of it may be alive.
void ContactLedger::demand_ended(const Contact& contact) const {
  for (const auto& [id, run] : ledger_.states()) {
    if (!is_about(run, contact) || run.finished()) continue;
    // A run that was started after the deletion makes the contact anew.
    bool anew = std::find(begun_.begin(), begun_.end(), id) != begun_.end();
    bool out = contact.deleted_at ? !anew : contact.is_out_of(run.workflow);
    if (out)
      throw Violation{"contact " + contact.id + " is out, and run " + id.text() +
                      " about it is alive"};
  }
  probe_(Probe::contact_ended_runs);
}

void ContactLedger::demand_followed(const Contact& contact) const {
  for (const auto& [id, run] : ledger_.states()) {
    if (!is_about(run, contact) || run.finished()) continue;
    for (const auto& [key, wait] : run.waits) {
      if (!is_pending(wait.status) || wait.config.get("follow_field") != Value(true)) continue;
      const Value& field = contact.fields.is_object()
                               ? contact.fields.get(wait.config.get("contact_field").as_string())
                               : Value();
      auto date = field.is_string() ? parse_rfc3339(field.as_string()) : std::nullopt;
      // What lies in the past was due at once, and what is held fires when it is let go.
      bool held = !wait.hold.empty();
      if (!date || (held && *wait.due >= *date)) continue;
      if (wait.due != date)
        throw Violation{"a wait of run " + id.text() + " is due at " + to_rfc3339(*wait.due) +
                        ", not where its contact says: " + to_rfc3339(*date)};
      probe_(Probe::contact_moved_wait);
    }
  }
}

void ContactLedger::run_written(const RunId& id) {
  if (runs_.insert(id).second) begun_.push_back(id);
}

void ContactLedger::group_written() {
  for (const RunId& id : std::exchange(begun_, {})) {
    const Run* run = ledger_.state(id);
    // One that begins and ends in one commit has done nothing.
    if (!run || run->contact_id.empty() || run->finished()) continue;
    auto contact = known_.find({run->account, run->contact_id});
    if (contact != known_.end() && contact->second.is_out_of(run->workflow))
      throw Violation{"run " + id.text() + " was started for a contact that had opted out"};
  }
}

}  // namespace fermata::sim
