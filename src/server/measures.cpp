#include "server/measures.h"

#include <algorithm>
#include <cmath>

#include "core/model/run.h"

namespace fermata::server {
namespace {

constexpr int64_t minute_ms = 60'000;
constexpr int64_t hour_ms = 60 * minute_ms;
constexpr int steps_per_doubling = 4;

int64_t minute_of(Instant at) { return at.ms / minute_ms; }
int64_t hour_of(Instant at) { return at.ms / hour_ms; }

template <class Kept>
void forget_before(std::map<int64_t, Kept>& kept, int64_t first) {
  kept.erase(kept.begin(), kept.lower_bound(first));
}

/// Room for one more: what was quiet for longest goes. `last` tells when something last happened.
template <class Map, class Last>
void make_room(Map& map, size_t most, Last last) {
  if (map.size() < most) return;
  auto quiet = map.begin();
  for (auto it = map.begin(); it != map.end(); ++it)
    if (last(it->second) < last(quiet->second)) quiet = it;
  map.erase(quiet);
}

template <class Kept>
int64_t last_of(const std::map<int64_t, Kept>& kept) {
  return kept.empty() ? 0 : kept.rbegin()->first;
}

}  // namespace

void LengthCounts::add(Duration length) {
  double ms = static_cast<double>(std::max<int64_t>(length.ms, 0));
  ++steps_[ms < 1 ? 0 : static_cast<int>(std::log2(ms) * steps_per_doubling) + 1];
  ++total_;
}

void LengthCounts::add(const LengthCounts& other) {
  for (const auto& [step, count] : other.steps_) steps_[step] += count;
  total_ += other.total_;
}

std::optional<Duration> LengthCounts::percentile(double share) const {
  if (total_ == 0) return std::nullopt;
  auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(total_)));
  uint64_t passed = 0;
  for (const auto& [step, count] : steps_) {
    passed += count;
    if (passed < wanted) continue;
    double end = std::exp2(static_cast<double>(step) / steps_per_doubling);
    return Duration{step == 0 ? 0 : static_cast<int64_t>(std::llround(end))};
  }
  return std::nullopt;
}

void Measures::Counted::add(const Counted& other) {
  started += other.started;
  resumed += other.resumed;
  for (size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
}

void Measures::begin(Instant now) {
  std::lock_guard lock(mutex_);
  begun_ = since_ = now;
}

Instant Measures::since() const {
  std::lock_guard lock(mutex_);
  return since_;
}

Measures::Account& Measures::account_at(const AccountId& id) {
  auto found = accounts_.find(id);
  if (found != accounts_.end()) return found->second;
  make_room(accounts_, accounts_max,
            [](const Account& account) { return last_of(account.minutes); });
  return accounts_[id];
}

Measures::Minute& Measures::minute_at(Account& account, Instant at) {
  int64_t minute = minute_of(at);
  forget_before(account.minutes, std::max(last_of(account.minutes), minute) - minutes_kept);
  return account.minutes[minute];
}

Measures::Hour& Measures::hour_at(Account& account, const WorkflowId& id, Instant at) {
  if (!account.workflows.contains(id))
    make_room(account.workflows, workflows_max,
              [](const Workflow& workflow) { return last_of(workflow.hours); });
  Workflow& workflow = account.workflows[id];
  int64_t hour = hour_of(at);
  forget_before(workflow.hours, std::max(last_of(workflow.hours), hour) - 24);
  return workflow.hours[hour];
}

void Measures::started(const RunSummary& summary) {
  Account& account = account_at(summary.account);
  ++minute_at(account, summary.started_at).counted.started;
  ++hour_at(account, summary.workflow, summary.started_at).counted.started;
  std::optional<Instant>& last = account.workflows[summary.workflow].last_started;
  last = std::max(last.value_or(summary.started_at), summary.started_at);
}

void Measures::ended(const RunSummary& summary) {
  Instant at = *summary.completed_at;
  size_t how = static_cast<size_t>(summary.status) - static_cast<size_t>(RunStatus::completed);
  Account& account = account_at(summary.account);
  ++minute_at(account, at).counted.ended[how];
  Hour& hour = hour_at(account, summary.workflow, at);
  ++hour.counted.ended[how];
  if (summary.status == RunStatus::completed) hour.lengths.add(at - summary.started_at);
}

void Measures::committed(const RunSummary& summary, bool first) {
  // Ended runs refuse every command, so a run's end is committed once.
  bool over = is_terminal(summary.status) && summary.completed_at;
  if (!first && !over) return;
  std::lock_guard lock(mutex_);
  // What came before is found by `remember`.
  if (begun_.ms == 0) return;
  if (first) started(summary);
  if (over) ended(summary);
}

void Measures::settled(const Run& run) {
  if (run.status != RunStatus::failed && run.status != RunStatus::timed_out) return;
  auto text = [&](std::string_view name) {
    const Value& found = run.error.get(name);
    return found.is_string() ? std::string(found.as_string()) : std::string();
  };
  Instant at = run.completed_at.value_or(run.last_at);
  std::lock_guard lock(mutex_);
  auto& causes = account_at(run.account).causes;
  CauseKey key{run.workflow, text("node"), text("code")};
  if (!causes.contains(key))
    make_room(causes, causes_max, [](const KeptCause& cause) { return cause.last_at.ms; });
  KeptCause& cause = causes[key];
  if (cause.hours.empty()) cause.first_at = at;
  cause.last_at = at;
  ++cause.hours[hour_of(at)];
  forget_before(cause.hours, hour_of(at) - failure_hours_kept);
}

void Measures::waits_changed(std::span<const WaitRecord> waits) {
  for (const WaitRecord& record : waits) {
    const Wait& wait = record.wait;
    // These two are written once and never change again.
    bool went_on = wait.status == WaitStatus::resumed || wait.status == WaitStatus::timeout;
    if (!went_on || !wait.ended_at) continue;
    std::lock_guard lock(mutex_);
    Minute& minute = minute_at(account_at(record.account), *wait.ended_at);
    ++minute.counted.resumed;
    bool by_time = wait.resumed_by == "scheduler" || wait.resumed_by == "timeout";
    if (by_time && wait.due) minute.lateness.add(*wait.ended_at - *wait.due);
  }
}

void Measures::remember(const RunSummary& summary) {
  std::lock_guard lock(mutex_);
  Instant oldest = begun_ - Duration{minutes_kept * minute_ms};
  if (summary.started_at < begun_ && summary.started_at >= oldest) started(summary);
  bool over = is_terminal(summary.status) && summary.completed_at;
  if (over && *summary.completed_at < begun_ && *summary.completed_at >= oldest) ended(summary);
}

void Measures::remember_until(Instant oldest) {
  std::lock_guard lock(mutex_);
  since_ = std::min(since_, oldest);
}

std::vector<Measures::Step> Measures::rates(const AccountId& account, Instant now, Duration length,
                                            Duration step) const {
  std::vector<Step> out;
  Instant first{(now.ms / step.ms + 1) * step.ms - length.ms};
  for (Instant at = first; at <= now; at = at + step) out.push_back({at, {}});
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(account);
  if (found == accounts_.end()) return out;
  const auto& minutes = found->second.minutes;
  for (auto it = minutes.lower_bound(minute_of(first)); it != minutes.end(); ++it) {
    auto place = static_cast<size_t>((it->first * minute_ms - first.ms) / step.ms);
    if (place < out.size()) out[place].counted.add(it->second.counted);
  }
  return out;
}

LengthCounts Measures::lateness(const AccountId& account, Instant now) const {
  LengthCounts out;
  std::lock_guard lock(mutex_);
  auto found = accounts_.find(account);
  if (found == accounts_.end()) return out;
  const auto& minutes = found->second.minutes;
  for (auto it = minutes.upper_bound(minute_of(now) - 60); it != minutes.end(); ++it)
    out.add(it->second.lateness);
  return out;
}

std::vector<Measures::Cause> Measures::causes(const AccountId& account, Instant since) const {
  std::vector<Cause> out;
  {
    std::lock_guard lock(mutex_);
    auto found = accounts_.find(account);
    if (found == accounts_.end()) return out;
    for (const auto& [key, kept] : found->second.causes) {
      const auto& [workflow, node, code] = key;
      Cause cause{workflow, node, code, 0, kept.first_at, kept.last_at};
      for (auto it = kept.hours.lower_bound(hour_of(since)); it != kept.hours.end(); ++it)
        cause.count += it->second;
      if (cause.count > 0) out.push_back(std::move(cause));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Cause& a, const Cause& b) { return a.count > b.count; });
  return out;
}

Measures::OfWorkflow Measures::workflow(const AccountId& account, const WorkflowId& workflow,
                                        Instant now) const {
  OfWorkflow out;
  int64_t first = hour_of(now) - 23;
  for (int64_t hour = first; hour <= hour_of(now); ++hour)
    out.hours.push_back({Instant{hour * hour_ms}, {}});
  std::lock_guard lock(mutex_);
  auto of_account = accounts_.find(account);
  if (of_account == accounts_.end()) return out;
  auto found = of_account->second.workflows.find(workflow);
  if (found == of_account->second.workflows.end()) return out;
  out.last_started = found->second.last_started;
  for (auto it = found->second.hours.lower_bound(first); it != found->second.hours.end(); ++it) {
    auto place = static_cast<size_t>(it->first - first);
    if (place < out.hours.size()) out.hours[place].counted.add(it->second.counted);
    out.day.add(it->second.counted);
    out.lengths.add(it->second.lengths);
  }
  return out;
}

}  // namespace fermata::server
