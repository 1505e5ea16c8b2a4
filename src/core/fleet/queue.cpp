#include "core/fleet/queue.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"

namespace fermata::fleet {

namespace {

constexpr size_t classes_kept_max = 4'096;
constexpr std::string_view preferred_pool_label = "preferred_pool";

bool is_placement_label(std::string_view key) {
  return key.starts_with("placement.") || key.starts_with("constraint.") ||
         key.starts_with("node.");
}

Value texts(const std::vector<std::string>& list) {
  Value out = Value::array();
  for (const std::string& text : list) out.push(text);
  return out;
}

Value placement_of(const Value& labels) {
  Value out = Value::object();
  if (labels.is_object())
    for (const Value::Member& label : labels.members())
      if (is_placement_label(label.key.as_string())) out.set(label.key.as_string(), label.value);
  return out;
}

std::string profile_key(const WorkerCard& card) {
  return to_canonical_json(Value::array({texts(card.accounts), card.pool, texts(card.topics),
                                         texts(card.capabilities), placement_of(card.labels)}));
}

}  // namespace

ReadyJob ready_job(const job::Summary& summary) {
  return {summary.id,         summary.account,
          summary.topic,      summary.priority,
          summary.requires_,  summary.labels,
          limits_of(summary), summary.ready_at.value_or(summary.updated_at)};
}

std::vector<job::Concurrency> limits_of(const job::Summary& summary) {
  std::vector<job::Concurrency> limits;
  if (summary.concurrency) limits.push_back(*summary.concurrency);
  if (summary.policy_limit) limits.push_back(*summary.policy_limit);
  return limits;
}

Queue::Facts Queue::facts_of(const ReadyJob& job) {
  Facts facts{job.account, job.topic, job.priority, job.requires_, placement_of(job.labels),
              {},          job.limits};
  const Value& pool = job.labels.get(preferred_pool_label);
  if (pool.is_string()) facts.preferred_pool = std::string(pool.as_string());
  return facts;
}

std::string Queue::key_of(const Facts& facts) {
  Value key = Value::array({facts.account.text(), facts.topic, name_of(facts.priority),
                            texts(facts.requires_), facts.placement, facts.preferred_pool});
  for (const job::Concurrency& limit : facts.limits) {
    key.push(limit.key);
    key.push(limit.limit);
  }
  return to_canonical_json(key);
}

bool Queue::suits(const WorkerCard& card, const Facts& facts) {
  const std::string& account = facts.account.text();
  if (!card.accounts.empty() &&
      std::find(card.accounts.begin(), card.accounts.end(), account) == card.accounts.end())
    return false;
  if (!facts.preferred_pool.empty() && facts.preferred_pool != card.pool) return false;
  auto serves = [&](const std::string& pattern) { return fits(pattern, facts.topic); };
  if (std::none_of(card.topics.begin(), card.topics.end(), serves)) return false;
  if (!std::includes(card.capabilities.begin(), card.capabilities.end(), facts.requires_.begin(),
                     facts.requires_.end()))
    return false;
  for (const Value::Member& label : facts.placement.members())
    if (card.labels.get(label.key.as_string()) != label.value) return false;
  return true;
}

Queue::ProfileId Queue::join(const WorkerCard& card) {
  std::string key = profile_key(card);
  if (auto known = profile_by_key_.find(key); known != profile_by_key_.end()) {
    ++profiles_.at(known->second).members;
    return known->second;
  }
  ProfileId id = next_profile_++;
  profile_by_key_.emplace(key, id);
  Profile& profile = profiles_[id];
  profile.card = card;
  profile.key = std::move(key);
  profile.members = 1;
  for (auto& [class_id, one] : classes_) {
    if (!suits(card, one.facts)) continue;
    one.profiles.push_back(id);
    profile.classes.push_back(class_id);
    if (auto head = head_of(class_id)) profile.heads.insert(*head);
  }
  return id;
}

void Queue::leave(ProfileId id) {
  Profile& profile = profiles_.at(id);
  if (--profile.members > 0) return;
  for (ClassId class_id : profile.classes) std::erase(classes_.at(class_id).profiles, id);
  profile_by_key_.erase(profile.key);
  profiles_.erase(id);
}

void Queue::watch_counts(ClassId id, const Facts& facts) {
  for (const job::Concurrency& limit : facts.limits)
    counts_[{facts.account, limit.key}].classes.insert(id);
}

void Queue::forget_counts(ClassId id, const Facts& facts) {
  for (const job::Concurrency& limit : facts.limits) {
    auto count = counts_.find({facts.account, limit.key});
    if (count == counts_.end()) continue;
    count->second.classes.erase(id);
    if (count->second.classes.empty() && count->second.leases == 0) counts_.erase(count);
  }
}

Queue::ClassId Queue::open_class(Facts facts, std::string key) {
  ClassId id = next_class_++;
  class_by_key_.emplace(key, id);
  Class& opened = classes_[id];
  opened.facts = std::move(facts);
  opened.key = std::move(key);
  for (auto& [profile_id, profile] : profiles_) {
    if (!suits(profile.card, opened.facts)) continue;
    opened.profiles.push_back(profile_id);
    profile.classes.push_back(id);
  }
  watch_counts(id, opened.facts);
  return id;
}

void Queue::close_class(ClassId id) {
  Class& closed = classes_.at(id);
  for (ProfileId profile : closed.profiles) std::erase(profiles_.at(profile).classes, id);
  forget_counts(id, closed.facts);
  class_by_key_.erase(closed.key);
  classes_.erase(id);
}

bool Queue::is_limited(ClassId id) const {
  const Facts& facts = classes_.at(id).facts;
  return std::any_of(facts.limits.begin(), facts.limits.end(), [&](const auto& limit) {
    auto count = counts_.find({facts.account, limit.key});
    return count != counts_.end() && count->second.leases >= limit.limit;
  });
}

std::optional<Queue::Head> Queue::head_of(ClassId id) const {
  const Class& one = classes_.at(id);
  if (one.jobs.empty() || is_limited(id)) return std::nullopt;
  return Head{one.facts.priority, one.jobs.begin()->first, id};
}

template <class Change>
void Queue::with_head_out(ClassId id, Change change) {
  if (auto head = head_of(id))
    for (ProfileId profile : classes_.at(id).profiles) profiles_.at(profile).heads.erase(*head);
  change();
  if (auto head = head_of(id))
    for (ProfileId profile : classes_.at(id).profiles) profiles_.at(profile).heads.insert(*head);
}

bool Queue::add(const ReadyJob& job) {
  if (places_.contains(job.job)) return false;
  Facts facts = facts_of(job);
  std::string key = key_of(facts);
  auto known = class_by_key_.find(key);
  ClassId id =
      known != class_by_key_.end() ? known->second : open_class(std::move(facts), std::move(key));
  Position position{job.ready_at, next_order_++};
  with_head_out(id, [&] { classes_.at(id).jobs.emplace(position, job.job); });
  places_.emplace(job.job, Place{id, position});
  ++waiting_[job.account];
  return true;
}

size_t Queue::waiting_of(const AccountId& account) const {
  auto found = waiting_.find(account);
  return found != waiting_.end() ? found->second : 0;
}

std::optional<Queue::Taken> Queue::remove(const JobId& job) {
  auto found = places_.find(job);
  if (found == places_.end()) return std::nullopt;
  Place place = found->second;
  const Facts& facts = classes_.at(place.of).facts;
  Taken taken{facts.account, facts.topic, {}};
  for (const job::Concurrency& limit : facts.limits) taken.limit_keys.push_back(limit.key);
  places_.erase(found);
  if (--waiting_[taken.account] == 0) waiting_.erase(taken.account);
  with_head_out(place.of, [&] { classes_.at(place.of).jobs.erase(place.position); });
  // An empty class is likely to be wanted again soon; only many of them are a burden.
  if (classes_.at(place.of).jobs.empty() && classes_.size() > classes_kept_max)
    close_class(place.of);
  return taken;
}

std::optional<JobId> Queue::next(ProfileId profile,
                                 const std::function<bool(const std::string&)>& passes_over) const {
  for (const Head& head : profiles_.at(profile).heads) {
    const Class& one = classes_.at(head.of);
    if (!passes_over(one.facts.topic)) return one.jobs.begin()->second;
  }
  return std::nullopt;
}

void Queue::count_lease(const AccountId& account, const std::string& key, int change) {
  auto found = counts_.try_emplace({account, key}).first;
  KeyCount& count = found->second;
  check(change > 0 || count.leases > 0);
  // Every class of the key may come under its limit or reach it.
  for (ClassId id : count.classes)
    if (auto head = head_of(id))
      for (ProfileId profile : classes_.at(id).profiles) profiles_.at(profile).heads.erase(*head);
  count.leases = change > 0 ? count.leases + 1 : count.leases - 1;
  for (ClassId id : count.classes)
    if (auto head = head_of(id))
      for (ProfileId profile : classes_.at(id).profiles) profiles_.at(profile).heads.insert(*head);
  if (count.leases == 0 && count.classes.empty()) counts_.erase(found);
}

std::vector<JobId> Queue::heads_of_key(const AccountId& account, const std::string& key) const {
  std::vector<JobId> jobs;
  auto found = counts_.find({account, key});
  if (found == counts_.end()) return jobs;
  for (ClassId id : found->second.classes)
    if (head_of(id)) jobs.push_back(classes_.at(id).jobs.begin()->second);
  return jobs;
}

std::vector<Queue::Depth> Queue::depths() const {
  std::vector<Depth> out;
  for (const auto& [id, one] : classes_)
    if (!one.jobs.empty())
      out.push_back({one.facts.priority, one.facts.topic, one.jobs.size(),
                     one.jobs.begin()->first.first, one.profiles.size(), one.facts.preferred_pool,
                     one.facts.account});
  return out;
}

}  // namespace fermata::fleet
