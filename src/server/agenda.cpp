#include "server/agenda.h"

#include "core/job/job.h"
#include "core/model/run.h"

namespace fermata::server {
namespace {

using Due = Agenda::Due;
using Kind = Agenda::Kind;

/// Timers of waits have rows of their own, those of scripts too.
std::optional<Kind> kind_of(const Run& run, const RunTimer& timer) {
  if (timer.kind == TimerKind::merge || timer.kind == TimerKind::scope ||
      timer.kind == TimerKind::run)
    return Kind::deadline;
  if (timer.kind != TimerKind::token) return std::nullopt;
  auto token = run.tokens.find(timer.id);
  if (token == run.tokens.end()) return std::nullopt;
  if (token->second.parked == Parked::retry) return Kind::retry;
  // What outside work may take; a question to people is told as one.
  bool outside = token->second.parked == Parked::call || is_ordered(token->second.parked);
  return outside ? std::optional(Kind::deadline) : std::nullopt;
}

std::vector<Due> dues_of(const Run& run) {
  std::vector<Due> dues;
  if (is_terminal(run.status)) return dues;
  for (const RunTimer& timer : run.timers) {
    if (dues.size() == Agenda::entries_of_one_max) break;
    if (auto kind = kind_of(run, timer)) dues.push_back({timer.due, *kind});
  }
  for (const auto& [number, approval] : run.approvals)
    if (approval.expires_at && dues.size() < Agenda::entries_of_one_max)
      dues.push_back({*approval.expires_at, Kind::approval});
  return dues;
}

std::vector<Due> dues_of(const job::Job& job) {
  std::vector<Due> dues;
  if (job.finished()) return dues;
  if (job.deadline_at) dues.push_back({*job.deadline_at, Kind::deadline});
  if (job.not_before && job.attempt_count > 0) dues.push_back({*job.not_before, Kind::retry});
  bool asks = job.state == job::State::approval_required && job.approval;
  if (asks) dues.push_back({job.approval->expires_at, Kind::approval});
  return dues;
}

std::string key_of(const Run& run) { return "run " + run.id.text(); }
std::string key_of(const job::Job& job) { return "job " + job.id.text(); }

}  // namespace

std::string_view name_of(Agenda::Kind kind) {
  if (kind == Kind::retry) return "retry";
  return kind == Kind::deadline ? "deadline" : "approval";
}

void Agenda::settled(const Run& run) { put(key_of(run), run.account, dues_of(run)); }
void Agenda::settled(const job::Job& job) { put(key_of(job), job.account, dues_of(job)); }
void Agenda::read(const Run& run) { put_read(key_of(run), run.account, dues_of(run)); }
void Agenda::read(const job::Job& job) { put_read(key_of(job), job.account, dues_of(job)); }

void Agenda::put(const std::string& key, const AccountId& account, std::vector<Due> dues) {
  std::lock_guard lock(mutex_);
  if (reading_) told_.insert(key);
  put_locked(key, account, std::move(dues));
}

void Agenda::put_read(const std::string& key, const AccountId& account, std::vector<Due> dues) {
  std::lock_guard lock(mutex_);
  if (!told_.contains(key)) put_locked(key, account, std::move(dues));
}

void Agenda::put_locked(const std::string& key, const AccountId& account, std::vector<Due> dues) {
  auto known = things_.find(key);
  if (known == things_.end() && dues.empty()) return;
  auto& of_account = by_account_[account];
  if (known != things_.end()) {
    for (const Due& due : known->second.dues) of_account.erase(of_account.find(due));
    entries_ -= known->second.dues.size();
    things_.erase(known);
  }
  if (entries_ + dues.size() > entries_max) {
    whole_ = false;
    return;
  }
  if (!dues.empty()) {
    entries_ += dues.size();
    of_account.insert(dues.begin(), dues.end());
    things_[key] = {account, std::move(dues)};
  }
  if (of_account.empty()) by_account_.erase(account);
}

void Agenda::begin_reading() {
  std::lock_guard lock(mutex_);
  reading_ = true;
}

void Agenda::end_reading(bool all) {
  std::lock_guard lock(mutex_);
  reading_ = false;
  told_.clear();
  whole_ = whole_ && all;
}

Agenda::Seen Agenda::between(const AccountId& account, Instant from, Instant to) const {
  std::lock_guard lock(mutex_);
  Seen out;
  out.all = whole_ && !reading_;
  auto found = by_account_.find(account);
  if (found == by_account_.end()) return out;
  const std::multiset<Due>& dues = found->second;
  for (auto it = dues.lower_bound(Due{from, Kind::retry}); it != dues.end() && it->at < to; ++it)
    out.dues.push_back(*it);
  return out;
}

}  // namespace fermata::server
