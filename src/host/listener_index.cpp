#include "host/listener_index.h"

#include <algorithm>

#include "base/check.h"
#include "core/wait/matching.h"

namespace fermata {
namespace {

bool is_active(const Listener& listener) { return listener.status == ListenerStatus::active; }

bool is_listening(const Wait& wait) {
  if (!is_pending(wait.status) || !wait.hold.empty() || !wait.listens()) return false;
  return std::any_of(wait.listeners.begin(), wait.listeners.end(), is_active);
}

// Ids hold no line breaks, so these names are distinct.
uint64_t bucket_name(const AccountId& account, std::string_view type, std::string_view kind,
                     std::string_view value) {
  std::string name = account.text();
  for (std::string_view part : {type, kind, value}) (name += '\n') += part;
  return std::hash<std::string>{}(name);
}

uint64_t run_bucket(const AccountId& account, const RunId& run) {
  return bucket_name(account, "", "run", run.text());
}

}  // namespace

/// Every bucket that leads to the wait, each once.
std::vector<ListenerIndex::Name> ListenerIndex::names_of(const Known& known) {
  std::vector<Name> names{run_bucket(known.account, known.run)};
  for (const Listener& listener : known.listeners) {
    const std::string& type = listener.event_type;
    if (listener.scope == "contact")
      names.push_back(bucket_name(known.account, type, "contact", known.contact_id));
    if (listener.scope == "account")
      names.push_back(bucket_name(known.account, type, "account", ""));
    if (!listener.phone.empty())
      names.push_back(bucket_name(known.account, type, "phone", listener.phone));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool ListenerIndex::decided(const WaitRecord& record) {
  if (!is_listening(record.wait)) return false;
  auto known = waits_.find(record.wait.id);
  bool fresh = known == waits_.end();
  add(record, !fresh && known->second->durable);
  return fresh;
}

void ListenerIndex::settled(const WaitRecord& record) {
  if (is_listening(record.wait)) {
    add(record, true);
  } else {
    remove(record.wait.id);
  }
}

void ListenerIndex::failed(const WaitRecord& record) {
  auto known = waits_.find(record.wait.id);
  if (known != waits_.end() && !known->second->durable) remove(record.wait.id);
}

void ListenerIndex::add(const WaitRecord& record, bool durable) {
  remove(record.wait.id);
  const Wait& wait = record.wait;
  auto known = std::make_unique<Known>();
  known->wait = wait.id;
  known->account = record.account;
  known->run = record.run;
  known->contact_id = record.contact_id;
  known->since = wait.reached_at;
  known->due = wait.due;
  known->durable = durable;
  known->listeners.reserve(
      static_cast<size_t>(std::count_if(wait.listeners.begin(), wait.listeners.end(), is_active)));
  for (const Listener& listener : wait.listeners) {
    if (!is_active(listener)) continue;
    known->listeners.push_back(listener);
    known->listeners.back().event = {};
  }
  for (Name name : names_of(*known)) put(name, *known);
  std::string_view id = known->wait;
  waits_.emplace(id, std::move(known));
}

void ListenerIndex::remove(std::string_view wait) {
  auto found = waits_.find(wait);
  if (found == waits_.end()) return;
  for (Name name : names_of(*found->second)) take(name, *found->second);
  // The key is a part of what it leads to: it goes first.
  std::unique_ptr<Known> gone = std::move(found->second);
  waits_.erase(found);
}

void ListenerIndex::put(Name name, const Known& known) {
  Bucket& bucket = buckets_[name];
  if (bucket.many) {
    bucket.many->insert(&known);
  } else if (bucket.one == nullptr) {
    bucket.one = &known;
  } else {
    bucket.many = std::make_unique<Ordered>();
    bucket.many->insert({std::exchange(bucket.one, nullptr), &known});
  }
}

void ListenerIndex::take(Name name, const Known& known) {
  auto found = buckets_.find(name);
  check(found != buckets_.end());
  Bucket& bucket = found->second;
  if (bucket.many) bucket.many->erase(&known);
  if (bucket.one == &known) bucket.one = nullptr;
  if (bucket.one == nullptr && (!bucket.many || bucket.many->empty())) buckets_.erase(found);
}

void ListenerIndex::collect(Name name, const Signal& signal, Ordered& found) const {
  auto bucket = buckets_.find(name);
  if (bucket == buckets_.end()) return;
  auto look_at = [&](const Known& known) {
    waits::ListenerPlace place{known.account, known.run, known.contact_id, known.due};
    bool hears =
        std::any_of(known.listeners.begin(), known.listeners.end(),
                    [&](const Listener& listener) { return waits::fits(listener, place, signal); });
    if (hears) found.insert(&known);
  };
  if (bucket->second.one != nullptr) look_at(*bucket->second.one);
  if (bucket->second.many)
    for (const Known* known : *bucket->second.many) look_at(*known);
}

std::vector<ListenerIndex::Target> ListenerIndex::targets(const Signal& signal) const {
  Ordered found;
  const AccountId& account = signal.account;
  if (!signal.run.empty()) {
    collect(run_bucket(account, signal.run), signal, found);
  } else {
    if (!signal.contact_id.empty())
      collect(bucket_name(account, signal.type, "contact", signal.contact_id), signal, found);
    if (!signal.phone.empty())
      collect(bucket_name(account, signal.type, "phone", signal.phone), signal, found);
    collect(bucket_name(account, signal.type, "account", ""), signal, found);
  }
  std::vector<Target> targets;
  for (const Known* known : found) targets.push_back({known->run, known->wait});
  return targets;
}

}  // namespace fermata
