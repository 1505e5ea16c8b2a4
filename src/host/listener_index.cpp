#include "host/listener_index.h"

#include <algorithm>

#include "core/wait/matching.h"

namespace fermata {
namespace {

bool is_listening(const Wait& wait) {
  if (!is_pending(wait.status) || !wait.hold.empty() || !wait.listens()) return false;
  return std::any_of(wait.listeners.begin(), wait.listeners.end(), [](const Listener& listener) {
    return listener.status == ListenerStatus::active;
  });
}

// Ids hold no line breaks, so these names are distinct.
std::string bucket_of(const AccountId& account, std::string_view type, std::string_view kind,
                      std::string_view value) {
  std::string name = account.text();
  for (std::string_view part : {type, kind, value}) (name += '\n') += part;
  return name;
}

std::string run_bucket(const AccountId& account, const RunId& run) {
  return bucket_of(account, "", "run", run.text());
}

/// Every bucket that leads to the wait.
std::set<std::string> buckets_for(const WaitRecord& record) {
  std::set<std::string> names{run_bucket(record.account, record.run)};
  for (const Listener& listener : record.wait.listeners) {
    if (listener.status != ListenerStatus::active) continue;
    const std::string& type = listener.event_type;
    if (listener.scope == "contact")
      names.insert(bucket_of(record.account, type, "contact", record.contact_id));
    if (listener.scope == "account") names.insert(bucket_of(record.account, type, "account", ""));
    if (!listener.phone.empty())
      names.insert(bucket_of(record.account, type, "phone", listener.phone));
  }
  return names;
}

}  // namespace

bool ListenerIndex::decided(const WaitRecord& record) {
  if (!is_listening(record.wait)) return false;
  auto known = waits_.find(record.wait.id);
  bool fresh = known == waits_.end();
  add(record, !fresh && known->second.durable);
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
  if (known != waits_.end() && !known->second.durable) remove(record.wait.id);
}

const WaitRecord* ListenerIndex::find(const std::string& wait) const {
  auto known = waits_.find(wait);
  return known == waits_.end() ? nullptr : &known->second.record;
}

void ListenerIndex::add(const WaitRecord& record, bool durable) {
  remove(record.wait.id);
  for (const std::string& name : buckets_for(record))
    buckets_[name].insert({record.wait.reached_at, record.wait.id});
  Known& known = waits_[record.wait.id];
  known.record = record;
  known.durable = durable;
  known.record.wait.config = {};
  known.record.wait.intent = {};
  for (Listener& listener : known.record.wait.listeners) listener.event = {};
}

void ListenerIndex::remove(const std::string& wait) {
  auto known = waits_.find(wait);
  if (known == waits_.end()) return;
  const WaitRecord& record = known->second.record;
  for (const std::string& name : buckets_for(record)) {
    auto bucket = buckets_.find(name);
    if (bucket == buckets_.end()) continue;
    bucket->second.erase({record.wait.reached_at, record.wait.id});
    if (bucket->second.empty()) buckets_.erase(bucket);
  }
  waits_.erase(known);
}

void ListenerIndex::collect(const std::string& name, const Signal& signal, Bucket& found) const {
  auto bucket = buckets_.find(name);
  if (bucket == buckets_.end()) return;
  for (const Place& place : bucket->second)
    if (waits::hearer(waits_.at(place.wait).record, signal)) found.insert(place);
}

std::vector<ListenerIndex::Target> ListenerIndex::targets(const Signal& signal) const {
  Bucket found;
  const AccountId& account = signal.account;
  if (!signal.run.empty()) {
    collect(run_bucket(account, signal.run), signal, found);
  } else {
    if (!signal.contact_id.empty())
      collect(bucket_of(account, signal.type, "contact", signal.contact_id), signal, found);
    if (!signal.phone.empty())
      collect(bucket_of(account, signal.type, "phone", signal.phone), signal, found);
    collect(bucket_of(account, signal.type, "account", ""), signal, found);
  }
  std::vector<Target> targets;
  for (const Place& place : found)
    targets.push_back({waits_.at(place.wait).record.run, place.wait});
  return targets;
}

}  // namespace fermata
