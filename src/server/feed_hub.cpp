#include "server/feed_hub.h"

#include <algorithm>
#include <unordered_set>

namespace fermata::server {
namespace {

/// Of those with the same name the last, in their order.
template <class Thing, class NameOf>
void keep_latest(std::vector<std::shared_ptr<const Thing>>& things, NameOf name_of) {
  std::unordered_set<std::string> seen;
  std::vector<std::shared_ptr<const Thing>> latest;
  for (auto thing = things.rbegin(); thing != things.rend(); ++thing)
    if (seen.insert(name_of(**thing)).second) latest.push_back(*thing);
  std::reverse(latest.begin(), latest.end());
  things = std::move(latest);
}

}  // namespace

FeedHub::FeedHub(size_t ring_max) : ring_max_(ring_max) {}

void FeedHub::committed(const RunSummary& summary, const HistoryChunk& events) {
  if (summary.saga != SagaStatus::none) saga_metrics_.committed(summary, events);
  measures_.committed(summary, events.first_sequence == 1);
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    ++counts_.commits;
    counts_.events += events.count;
    if (events.first_sequence == 1) ++counts_.started;
    // Ended runs refuse every command, so a run's end is committed once.
    if (is_terminal(summary.status))
      ++counts_
            .ended[static_cast<size_t>(summary.status) - static_cast<size_t>(RunStatus::completed)];
    remember({std::make_shared<const RunSummary>(summary), nullptr});
    if (auto found = by_run_.find(summary.id.text()); found != by_run_.end())
      for (const Entry& entry : found->second) listeners.push_back(entry.listener);
    for (const Entry& entry : by_account_)
      if (entry.account == summary.account) listeners.push_back(entry.listener);
  }
  for (const auto& listener : listeners) (*listener)(summary);
}

void FeedHub::approvals_changed(std::span<const ApprovalRecord> approvals) {
  // Those who listen to the account are woken by the run's own news, which come first; they look
  // once more as long as there is something to be seen.
  std::vector<std::shared_ptr<Listener>> listeners;
  RunSummary about;
  {
    std::lock_guard lock(mutex_);
    for (const ApprovalRecord& record : approvals)
      remember({nullptr, std::make_shared<const ApprovalRecord>(record)});
    about.account = approvals.front().account;
    about.id = approvals.front().run;
    listeners = listeners_of(about.account);
  }
  for (const auto& listener : listeners) (*listener)(about);
}

void FeedHub::alert(const AccountId& account, const Value& body) {
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    remember(
        {nullptr, nullptr, std::make_shared<const Entered::Alert>(Entered::Alert{account, body})});
    listeners = listeners_of(account);
  }
  RunSummary about;
  about.account = account;
  for (const auto& listener : listeners) (*listener)(about);
}

std::vector<std::shared_ptr<FeedHub::Listener>> FeedHub::listeners_of(
    const AccountId& account) const {
  std::vector<std::shared_ptr<Listener>> out;
  for (const Entry& entry : by_account_)
    if (entry.account == account) out.push_back(entry.listener);
  return out;
}

void FeedHub::remember_change(Change change) {
  remember({nullptr, nullptr, nullptr, std::make_shared<const Change>(std::move(change))});
}

void FeedHub::changed(Change change) {
  RunSummary about;
  about.account = change.account;
  about.id = change.run;
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    remember_change(std::move(change));
    listeners = listeners_of(about.account);
  }
  for (const auto& listener : listeners) (*listener)(about);
}

void FeedHub::waits_changed(std::span<const WaitRecord> waits) {
  wait_metrics_.changed(waits);
  measures_.waits_changed(waits);
  if (waits.empty()) return;
  RunSummary about;
  about.account = waits.front().account;
  about.id = waits.front().run;
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    for (const WaitRecord& record : waits) remember_change(change_of(record));
    listeners = listeners_of(about.account);
  }
  for (const auto& listener : listeners) (*listener)(about);
}

void FeedHub::schedule_settled(const schedule::Schedule& state) { changed(change_of(state)); }

void FeedHub::job_committed(const job::Summary& summary, const HistoryChunk& events) {
  changed(change_of(summary));
  if (auto letter = letter_change_of(summary)) changed(*std::move(letter));
  std::vector<std::shared_ptr<JobListener>> listeners;
  {
    std::lock_guard lock(mutex_);
    counts_.events += events.count;
    if (auto found = by_job_.find(summary.id.text()); found != by_job_.end())
      for (const JobEntry& entry : found->second) listeners.push_back(entry.listener);
  }
  for (const auto& listener : listeners) (*listener)(summary);
}

void FeedHub::remember(Entered entered) {
  ring_.push_back(std::move(entered));
  if (ring_.size() <= ring_max_) return;
  ring_.pop_front();
  ++ring_begin_;
}

FeedHub::Subscription FeedHub::watch_run(const RunId& run, Listener listener) {
  Subscription out;
  std::lock_guard lock(mutex_);
  out.hub_ = this;
  out.run_ = run.text();
  out.id_ = next_id_++;
  by_run_[out.run_].push_back({out.id_, {}, std::make_shared<Listener>(std::move(listener))});
  return out;
}

FeedHub::Subscription FeedHub::watch_job(const JobId& job, JobListener listener) {
  Subscription out;
  std::lock_guard lock(mutex_);
  out.hub_ = this;
  out.job_ = job.text();
  out.id_ = next_id_++;
  by_job_[out.job_].push_back({out.id_, std::make_shared<JobListener>(std::move(listener))});
  return out;
}

FeedHub::Subscription FeedHub::watch_account(const AccountId& account, Listener listener) {
  Subscription out;
  std::lock_guard lock(mutex_);
  out.hub_ = this;
  out.id_ = next_id_++;
  by_account_.push_back({out.id_, account, std::make_shared<Listener>(std::move(listener))});
  return out;
}

void FeedHub::forget_job(const Subscription& subscription) {
  std::shared_ptr<JobListener> dropped;  // Destroyed outside the lock, as below.
  std::lock_guard lock(mutex_);
  auto job = by_job_.find(subscription.job_);
  if (job == by_job_.end()) return;
  std::vector<JobEntry>& entries = job->second;
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const JobEntry& entry) { return entry.id == subscription.id_; });
  if (found == entries.end()) return;
  dropped = std::move(found->listener);
  entries.erase(found);
  if (entries.empty()) by_job_.erase(job);
}

void FeedHub::forget(const Subscription& subscription) {
  if (!subscription.job_.empty()) return forget_job(subscription);
  std::shared_ptr<Listener>
      dropped;  // Destroyed outside the lock: it may own the last of a stream.
  std::lock_guard lock(mutex_);
  auto run = by_run_.find(subscription.run_);
  if (!subscription.run_.empty() && run == by_run_.end()) return;
  std::vector<Entry>& entries = subscription.run_.empty() ? by_account_ : run->second;
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry& entry) { return entry.id == subscription.id_; });
  if (found == entries.end()) return;
  dropped = std::move(found->listener);
  entries.erase(found);
  if (!subscription.run_.empty() && entries.empty()) by_run_.erase(run);
}

FeedHub::Subscription::Subscription(Subscription&& other) noexcept { *this = std::move(other); }

FeedHub::Subscription& FeedHub::Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  reset();
  hub_ = std::exchange(other.hub_, nullptr);
  run_ = std::move(other.run_);
  job_ = std::move(other.job_);
  id_ = other.id_;
  return *this;
}

void FeedHub::Subscription::reset() {
  if (FeedHub* hub = std::exchange(hub_, nullptr)) hub->forget(*this);
}

FeedHub::News FeedHub::news(const AccountId& account, uint64_t after, size_t limit) const {
  News out;
  std::lock_guard lock(mutex_);
  uint64_t end = ring_begin_ + ring_.size();
  out.lost = after + 1 < ring_begin_ || after >= end;
  uint64_t number = std::clamp(after + 1, ring_begin_, end);
  auto taken = [&] {
    return out.runs.size() + out.approvals.size() + out.alerts.size() + out.changes.size();
  };
  for (; number < end && taken() < limit; ++number) {
    const Entered& entry = ring_[static_cast<size_t>(number - ring_begin_)];
    if (entry.account() != account) continue;
    if (entry.run) out.runs.push_back(entry.run);
    if (entry.approval) out.approvals.push_back(entry.approval);
    if (entry.alert) out.alerts.push_back(entry.alert->body);
    if (entry.change) out.changes.push_back(entry.change);
  }
  out.next = number - 1;
  // Of what was written several times only the last state matters to a reader who is behind.
  keep_latest(out.runs, [](const RunSummary& run) { return run.id.text(); });
  keep_latest(out.changes,
              [](const Change& change) { return std::string(change.kind) + " " + change.id; });
  return out;
}

uint64_t FeedHub::end() const {
  std::lock_guard lock(mutex_);
  return ring_begin_ + ring_.size() - 1;
}

FeedHub::Counts FeedHub::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace fermata::server
