#include <set>

#include "base/check.h"
#include "host/partition.h"

/// Commands to contacts, and what follows for the runs that are about them. A contact and the runs
/// that its change ends or moves are one group of writes.
namespace fermata {

namespace {

ContactKey key_of(const Command& command, const Run& run) {
  const auto* start = std::get_if<StartRun>(&command.body);
  // What comes from outside to a run that is known is about that run's contact.
  bool joins = start && start->arrival && run.exists();
  if (start && !joins) return {start->account, start->contact_id};
  return {run.account, run.contact_id};
}

}  // namespace

bool Host::Partition::submit_contact(ContactItem item) {
  if (stopping_.load(std::memory_order_relaxed) || !contacts_.submit(std::move(item))) return false;
  wake();
  return true;
}

/// Has the contacts at hand that these commands are about, with one question to the store.
Outcome<void> Host::Partition::fetch_contacts(const std::vector<Item>& items,
                                              const std::vector<OpenRun*>& open) {
  if (!contacts_.keeps_any()) return {};
  std::vector<ContactKey> keys;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!open[i]) continue;
    ContactKey key = key_of(items[i].command, open[i]->run);
    if (!key.id.empty()) keys.push_back(std::move(key));
  }
  return contacts_.fetch(keys);
}

Outcome<void> Host::Partition::fetch_contact(const Item& item, const Run& run) {
  ContactKey key = key_of(item.command, run);
  if (key.id.empty()) return {};
  return contacts_.fetch({std::move(key)});
}

/// What a decision is given besides the clock: the account, the workflow and the contact.
void Host::Partition::give_surroundings(Given& given, const Command& command, const Run& run) {
  ContactKey key = key_of(command, run);
  if (accounts_) {
    const auto* start = std::get_if<StartRun>(&command.body);
    given.account = accounts_->settings_of(key.account);
    given.workflow = accounts_->inactive(key.account, start ? start->workflow : run.workflow);
    static const AccountSettings defaults;
    given.room = limits_.room_of(key.account, given.account ? *given.account : defaults, given.now);
  }
  if (key.id.empty()) return;
  std::shared_ptr<const Contact> contact = contacts_.find(key);
  if (contact && contact->exists()) given.contact = std::move(contact);
}

/// A run must not begin because of what may never be, such as an opt-in: it is written together
/// with its contact, or waits until that is durable.
Host::Partition::Standing Host::Partition::standing_of(const Item& item) const {
  const auto* start = std::get_if<StartRun>(&item.command.body);
  if (!start || start->contact_id.empty()) return Standing::durable;
  ContactKey key{start->account, start->contact_id};
  if (!contacts_.undurable(key)) return Standing::durable;
  for (const TouchedContact& touched : next_.contacts)
    if (touched.contact.key() == key) return Standing::in_next;
  return Standing::flying;
}

void Host::Partition::join_contact(const Item& item, Groups::Member group) {
  const auto& start = std::get<StartRun>(item.command.body);
  ContactKey key{start.account, start.contact_id};
  for (const TouchedContact& touched : next_.contacts)
    if (touched.contact.key() == key) next_.groups.join(touched.group, group);
}

/// A contact that a run names is made with it, if there is none (W-52).
void Host::Partition::mention(const Command& command, const Run& run) {
  if (run.contact_id.empty() || !contacts_.keeps_any() || run.finished()) return;
  ContactKey key{run.account, run.contact_id};
  std::shared_ptr<const Contact> known = contacts_.find(key);
  bool starts = std::holds_alternative<StartRun>(command.body);
  // One that was deleted is made anew by a new run alone, not by what is left of an old one.
  if (!known || known->exists() || (known->version > 0 && !starts)) return;
  mentions_.push_back({.command = {std::move(key), contact::Mention{}}});
}

void Host::Partition::decide_contacts(std::vector<ContactItem> items, Instant now) {
  if (items.empty()) return;
  std::vector<ContactKey> keys;
  for (const ContactItem& item : items) keys.push_back(item.command.key);
  auto fetched = contacts_.fetch(keys);
  if (!fetched) ++counters_.store_failures;
  for (ContactItem& item : items) {
    const ContactKey& key = item.command.key;
    if (contacts_.undurable(key)) {
      contacts_.hold(std::move(item));
    } else if (contacts_.find(key)) {
      decide_contact(std::move(item), now);
    } else if (item.reply) {
      item.reply(Failure{fetched.error()});
    }
    // Else a run has named it; the next decision about that run names it again.
  }
}

void Host::Partition::decide_contact(ContactItem item, Instant now) {
  ++counters_.commands;
  ++next_.commands;
  Contact contact = *contacts_.find(item.command.key);
  uint64_t stored = contact.version;
  auto decision = contact::decide(contact, item.command, now);
  if (!decision) {
    ++counters_.refusals;
    if (item.reply) item.reply(Failure{decision.error()});
    return;
  }
  std::vector<RunId> runs;
  if (decision->ends || decision->followed) {
    auto found = live_runs_of(item.command.key);
    if (!found) {
      ++counters_.store_failures;
      if (item.reply) item.reply(Failure{found.error()});
      return;
    }
    runs = *std::move(found);
  }
  // Whoever asked is answered after the runs are durable: their commit has the contact in it.
  if (!decision->changed && !runs.empty()) ++contact.version;
  DecidedContactItem decided{std::move(item), std::nullopt, {contact, decision->created}};
  if (contact.version == stored) {
    if (decided.item.reply) decided.item.reply(std::move(decided.told));
    return;
  }
  ContactKey key = contact.key();
  contacts_.decided(contact);
  std::string actor = decided.item.command.actor;
  TouchedContact& touched = next_.contacts.emplace_back();
  touched.contact = std::move(contact);
  touched.expected_version = stored;
  touched.group = next_.groups.add();
  touched.audit = std::move(decision->audit);
  touched.items.push_back(std::move(decided));
  post_from_contact(key, *decision, runs, touched.group, actor);
}

/// Those the store knows of, and those that are decided and not durable yet.
Outcome<std::vector<RunId>> Host::Partition::live_runs_of(const ContactKey& key) {
  FERMATA_TRY(runs, contacts_.store()->live_runs_of(key));
  std::set<RunId> known(runs.begin(), runs.end());
  for (const Flight* flight : {&flying_, &next_}) {
    for (const Touched& touched : flight->runs) {
      const Run& run = touched.open->run;
      bool ours = run.account == key.account && run.contact_id == key.id;
      if (ours && known.insert(run.id).second) runs.push_back(run.id);
    }
  }
  return runs;
}

void Host::Partition::post_from_contact(const ContactKey& key, const contact::Decision& decision,
                                        const std::vector<RunId>& runs, Groups::Member group,
                                        const std::string& actor) {
  for (const RunId& run : runs) {
    CommandBody body = FollowContact{};
    if (decision.ends) body = CancelRun{decision.ends->exit_reason};
    Item item{{run, std::move(body), actor}, {}};
    item.posted = true;
    Posted post{std::move(item), group, std::nullopt};
    post.contact = Posted::FromContact{key, decision.ends ? decision.ends->workflow : WorkflowId()};
    posts_.push_back(std::move(post));
  }
}

/// Counts what a contact's change has ended, for who asked for it.
void Host::Partition::count_ended(const ContactKey& key, size_t waits) {
  for (TouchedContact& touched : next_.contacts) {
    if (touched.contact.key() != key) continue;
    ContactTold& told = touched.items.back().told;
    told.waits_cancelled += waits;
    ++told.executions_cancelled;
  }
}

void Host::Partition::abandon_contacts(Groups::Member whole, const Error& error) {
  std::vector<TouchedContact> gone;
  for (TouchedContact& touched : next_.contacts)
    if (next_.groups.of(touched.group) == whole) gone.push_back(std::move(touched));
  std::erase_if(next_.contacts, [](const TouchedContact& one) { return one.items.empty(); });
  for (TouchedContact& touched : gone) {
    forget_contact(touched.contact.key());
    for (DecidedContactItem& decided : touched.items)
      if (decided.item.reply) decided.item.reply(Failure{error});
  }
}

void Host::Partition::forget_contact(const ContactKey& key) {
  contacts_.forget(key);
  release_contact(key);
}

void Host::Partition::release_contact(const ContactKey& key) {
  contacts_.release(key);
  auto held = starts_held_.find(key);
  if (held == starts_held_.end()) return;
  for (Item& item : held->second) put_first(std::move(item));
  starts_held_.erase(held);
}

// The way of a batch, as in flight.cpp.

void Host::Partition::load_contacts(CommitBatch& batch) {
  batch.contacts.reserve(flying_.contacts.size());
  for (TouchedContact& touched : flying_.contacts) {
    ContactWrite& write = batch.contacts.emplace_back();
    write.expected_version = touched.expected_version;
    write.contact = touched.contact;
    write.audit = std::move(touched.audit);
    write.erases_signals = touched.contact.deleted_at.has_value();
    if (flying_.groups.shared(touched.group)) write.group = flying_.groups.of(touched.group) + 1;
  }
}

/// After an unknown outcome: it is there as it was written, or it was not written.
CommitOutcome Host::Partition::find_out(const ContactWrite& write) {
  ContactKey key = write.contact.key();
  auto loaded = contacts_.store()->load_contacts(std::span(&key, 1));
  if (!loaded) return CommitOutcome::unknown;
  return loaded->front() == write.contact ? CommitOutcome::done : CommitOutcome::conflict;
}

void Host::Partition::landed(TouchedContact& touched, ContactWrite& write, CommitOutcome outcome) {
  if (outcome == CommitOutcome::unknown) outcome = find_out(write);
  ContactKey key = write.contact.key();
  if (outcome == CommitOutcome::done) {
    contacts_.durable(key);
    for (DecidedContactItem& decided : touched.items)
      if (decided.item.reply) decided.item.reply(std::move(decided.told));
    return release_contact(key);
  }
  bool conflict = outcome == CommitOutcome::conflict;
  ++(conflict ? counters_.conflicts : counters_.store_failures);
  forget_contact(key);
  for (DecidedContactItem& decided : touched.items) {
    ContactItem& item = decided.item;
    if (conflict && ++item.tries < conflict_tries_max) {
      contacts_.put_first(std::move(item));
    } else if (item.reply) {
      item.reply(Failure{
          conflict
              ? Error{ErrorCode::store_unavailable, "the contact is being changed too often", {}}
              : trouble(outcome)});
    }
  }
}

}  // namespace fermata
