#include "core/fleet/queue.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"

/// The jobs that wait, by class.
namespace fermata::fleet {

namespace {

constexpr size_t classes_kept_max = 4'096;
constexpr int64_t preferred_wait_ms_max = 86'400'000;

std::string text_label(const Value& labels, std::string_view key) {
  const Value& label = labels.get(key);
  return label.is_string() ? std::string(label.as_string()) : std::string();
}

/// A label is a text; one that is no number of milliseconds is none.
int64_t number_label(const Value& labels, std::string_view key) {
  std::string text = text_label(labels, key);
  if (text.empty() || text.size() > 9) return 0;
  int64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  return std::min(number, preferred_wait_ms_max);
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

Queue::Facts Queue::read_facts(const ReadyJob& job) {
  Facts facts;
  facts.account = job.account;
  facts.topic = job.topic;
  facts.priority = job.priority;
  facts.requires_ = job.requires_;
  facts.placement = placement_of(job.labels);
  facts.preferred_pool = text_label(job.labels, "preferred_pool");
  facts.preferred_worker = text_label(job.labels, "preferred_worker_id");
  if (!facts.preferred_worker.empty())
    facts.preferred_wait_ms = number_label(job.labels, "preferred_worker_wait_ms");
  facts.exempt = text_label(job.labels, "is_compensation") == "true";
  facts.limits = job.limits;
  return facts;
}

/// Two jobs have the same key when they ask for the same. Made for every job that is added, so it
/// is put together from parts that say how long they are, not printed.
std::string Queue::key_of(const Facts& facts) {
  std::string key;
  auto add = [&key](std::string_view part) {
    key.append(std::to_string(part.size())).append(":").append(part);
  };
  add(facts.account.text());
  add(facts.topic);
  add(name_of(facts.priority));
  add(std::to_string(facts.requires_.size()));
  for (const std::string& one : facts.requires_) add(one);
  add(facts.placement.size() > 0 ? to_canonical_json(facts.placement) : "");
  add(facts.preferred_pool);
  add(facts.preferred_worker);
  add(std::to_string(facts.preferred_wait_ms));
  add(facts.exempt ? "exempt" : "");
  for (const job::Concurrency& limit : facts.limits) {
    add(limit.key);
    add(std::to_string(limit.limit));
  }
  return key;
}

/// Which pools the table lets the class go to.
void Queue::route(Class& one) const {
  const Facts& facts = one.facts;
  const PoolTable& table = gates_.table();
  if (!table.maps_topics()) {
    one.pools.reset();
    if (!facts.preferred_pool.empty()) one.pools.emplace({facts.preferred_pool});
    return;
  }
  const std::vector<std::string>* mapped = table.pools_of(facts.topic);
  one.pools = mapped ? *mapped : std::vector<std::string>();
  if (!facts.preferred_pool.empty())
    std::erase_if(*one.pools, [&](const auto& pool) { return pool != facts.preferred_pool; });
}

Queue::FlowId Queue::flow_of(const Facts& facts) {
  auto [found, fresh] =
      flow_by_account_.try_emplace({facts.account.text(), facts.exempt}, next_flow_);
  if (fresh) {
    ++next_flow_;
    flows_[found->second] = {facts.account, facts.exempt, {}, false};
  }
  return found->second;
}

Queue::ClassId Queue::open_class(Facts facts, std::string key) {
  ClassId id = next_class_++;
  class_by_key_.emplace(key, id);
  Class& opened = classes_[id];
  opened.facts = std::move(facts);
  opened.key = std::move(key);
  opened.flow = flow_of(opened.facts);
  flows_.at(opened.flow).classes.insert(id);
  classes_by_topic_[opened.facts.topic].insert(id);
  prefers_ += opened.facts.preferred_wait_ms > 0;
  route(opened);
  for (auto& [profile_id, profile] : profiles_)
    if (suits(profile, opened)) link(profile_id, profile, id, opened);
  watch_counts(id, opened.facts);
  // Whoever comes to it waits since it came.
  note_fault(opened, Instant{});
  return id;
}

void Queue::close_class(ClassId id) {
  Class& closed = classes_.at(id);
  check(!closed.shown);
  for (ProfileId profile : closed.profiles) std::erase(profiles_.at(profile).classes, id);
  forget_counts(id, closed.facts);
  auto topic = classes_by_topic_.find(closed.facts.topic);
  topic->second.erase(id);
  if (topic->second.empty()) classes_by_topic_.erase(topic);
  prefers_ -= closed.facts.preferred_wait_ms > 0;
  Flow& flow = flows_.at(closed.flow);
  flow.classes.erase(id);
  if (flow.classes.empty()) {
    turns_.forget(closed.flow);
    flow_by_account_.erase({flow.account.text(), flow.exempt});
    flows_.erase(closed.flow);
  }
  class_by_key_.erase(closed.key);
  classes_.erase(id);
}

void Queue::show(ClassId id) {
  Class& one = classes_.at(id);
  bool open = !one.jobs.empty() && !is_limited(one) && !closed_topics_.contains(one.facts.topic);
  std::optional<Head> head;
  if (open) head = Head{one.jobs.begin()->first, id};
  if (head == one.shown) return;
  if (one.shown)
    for (ProfileId profile : one.profiles) hide_in(profiles_.at(profile), one);
  one.shown = head;
  if (one.shown)
    for (ProfileId id_of_profile : one.profiles) {
      Profile& profile = profiles_.at(id_of_profile);
      show_in(profile.card.pool, profile, one);
    }
}

void Queue::use(Instant now, PoolTablePtr table) {
  gates_.use(std::move(table));
  closed_pools_.clear();
  closed_topics_.clear();
  due_.clear();
  for (auto& [id, profile] : profiles_) {
    profile.classes.clear();
    for (Lane& lane : profile.lanes) lane = {};
    profile.capabilities = profile.card.capabilities;
    const Pool& pool = gates_.table().pool(profile.card.pool);
    profile.capabilities.insert(profile.capabilities.end(), pool.capabilities.begin(),
                                pool.capabilities.end());
    std::sort(profile.capabilities.begin(), profile.capabilities.end());
  }
  for (auto& [id, one] : classes_) {
    one.profiles.clear();
    one.shown.reset();
    route(one);
    for (auto& [profile_id, profile] : profiles_)
      if (suits(profile, one)) link(profile_id, profile, id, one);
    note_fault(one, now);
  }
  for (auto& [topic, ids] : classes_by_topic_) look_at_topic(now, topic, nullptr);
  for (auto& [id, one] : classes_) show(id);
}

bool Queue::add(const ReadyJob& job) {
  JobKey job_key(job.job);
  if (places_.contains(job_key)) return false;
  Facts facts = read_facts(job);
  std::string key = key_of(facts);
  auto known = class_by_key_.find(key);
  ClassId id =
      known != class_by_key_.end() ? known->second : open_class(std::move(facts), std::move(key));
  Position position{job.ready_at, next_order_++};
  auto place = places_.emplace(std::move(job_key), Place{id, position}).first;
  classes_.at(id).jobs.emplace(position, &place->first);
  ++waiting_[job.account];
  show(id);
  return true;
}

size_t Queue::waiting_of(const AccountId& account) const {
  auto found = waiting_.find(account);
  return found != waiting_.end() ? found->second : 0;
}

void Queue::remove(const JobId& job) {
  auto found = places_.find(JobKey(job));
  if (found == places_.end()) return;
  Place place = found->second;
  Class& one = classes_.at(place.of);
  auto waiting = waiting_.find(one.facts.account);
  if (--waiting->second == 0) waiting_.erase(waiting);
  one.jobs.erase(place.position);
  places_.erase(found);
  show(place.of);
  // An empty class is likely to be wanted again soon; only many of them are a burden.
  if (one.jobs.empty() && classes_.size() > classes_kept_max) close_class(place.of);
}

std::vector<Queue::Depth> Queue::depths(Instant now) const {
  std::vector<Depth> out;
  for (const auto& [id, one] : classes_) {
    if (one.jobs.empty()) continue;
    std::string pools;
    for (const std::string& pool : one.pools.value_or(std::vector<std::string>()))
      pools.append(pools.empty() ? "" : "|").append(pool);
    out.push_back({one.facts.priority, one.facts.topic, one.jobs.size(),
                   one.jobs.begin()->first.first, std::move(pools), one.facts.account,
                   reason_of(now, id).reason});
  }
  return out;
}

}  // namespace fermata::fleet
