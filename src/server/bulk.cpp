#include "server/bulk.h"

#include <algorithm>

#include "server/api.h"

namespace fermata::server {
namespace {

using std::chrono::milliseconds;

constexpr size_t batch_items_max = 64;
constexpr size_t jobs_running_max = 4;
/// So many of those that were refused or failed are told one by one; all of them are counted.
constexpr size_t results_max = 1'000;
constexpr int busy_tries_max = 30;
constexpr milliseconds busy_delay(1'000);
/// One that rests, maybe for a minute, looks so often whether somebody stops it.
constexpr milliseconds rest_look_every(250);

/// Says nothing about the thing itself: another time it may go.
bool is_busy(const Outcome<void>& outcome) {
  if (outcome) return false;
  ErrorCode code = outcome.error().code;
  return code == ErrorCode::queue_full || code == ErrorCode::store_unavailable ||
         code == ErrorCode::outcome_unknown || code == ErrorCode::shutting_down ||
         code == ErrorCode::io_failed;
}

/// An error that would have been answered with 5xx is nobody's wish; everything else is a refusal.
bool is_failure(const Error& error) { return http_status_of(error.code) >= 500; }

}  // namespace

struct BulkRunner::Job {
  BulkRecord record;  ///< touched by its own turns only, which never overlap
  const BulkKind* kind = nullptr;
  std::vector<std::string> items;
  uint64_t repeated_until = 0;  ///< before a restart these may have been acted on
  std::chrono::steady_clock::time_point rests_until{};  ///< as its rate wants it
  // Under the runner's mutex.
  std::optional<AuditLine> stop;
  std::vector<Stopped> on_stopped;
};

/// Things under way together.
struct BulkRunner::Batch {
  explicit Batch(size_t size) : outcomes(size) {
    for (size_t i = 0; i < size; ++i) todo.push_back(i);
  }
  std::mutex mutex;
  std::vector<std::optional<Outcome<void>>> outcomes;
  std::vector<size_t> todo;
  size_t open = 0;
  int tries = 0;
  std::chrono::steady_clock::time_point begun_at = std::chrono::steady_clock::now();
};

BulkRunner::BulkRunner(Api& api) : api_(api) {}
BulkRunner::~BulkRunner() = default;

Outcome<void> BulkRunner::recover() {
  FERMATA_TRY(running, api_.bulks().running_bulks());
  for (const BulkRecord& record : running) add(record);
  start_some();
  return {};
}

void BulkRunner::add(const BulkRecord& record) {
  auto job = std::make_shared<Job>();
  job->record = record;
  job->kind = bulk_kind(record.kind);
  job->repeated_until = record.position + batch_items_max;
  std::lock_guard lock(mutex_);
  jobs_[record.id] = job;
  waiting_.push_back(job);
}

Outcome<bool> BulkRunner::begin(const BulkRecord& record, const std::vector<std::string>& items,
                                const AuditLine& audit) {
  FERMATA_TRY(stored, api_.bulks().put_bulk(record, items, audit));
  if (!stored) return false;
  auto job = std::make_shared<Job>();
  job->record = record;
  job->kind = bulk_kind(record.kind);
  job->items = items;
  {
    std::lock_guard lock(mutex_);
    jobs_[record.id] = job;
    waiting_.push_back(job);
  }
  start_some();
  return true;
}

bool BulkRunner::stop(const std::string& id, const AuditLine& audit, Stopped stopped) {
  std::lock_guard lock(mutex_);
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  const JobRef& job = found->second;
  job->on_stopped.push_back(std::move(stopped));
  if (job->stop) return true;
  job->stop = audit;
  // One that has not begun need not wait for its turn to learn that it never will.
  auto waiting = std::find(waiting_.begin(), waiting_.end(), job);
  if (waiting == waiting_.end()) return true;
  waiting_.erase(waiting);
  ++running_;
  api_.pool().submit_owed([this, job = job] { turn(job); });
  return true;
}

bool BulkRunner::on_end(const std::string& id, Stopped ended) {
  std::lock_guard lock(mutex_);
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  found->second->on_stopped.push_back(std::move(ended));
  return true;
}

bool BulkRunner::asked_to_stop(const Job& job) {
  std::lock_guard lock(mutex_);
  return job.stop.has_value();
}

void BulkRunner::start_some() {
  std::lock_guard lock(mutex_);
  while (!waiting_.empty() && running_ < jobs_running_max) {
    JobRef job = waiting_.front();
    waiting_.erase(waiting_.begin());
    ++running_;
    api_.pool().submit_owed([this, job] { turn(job); });
  }
}

void BulkRunner::later(const JobRef& job, milliseconds delay) {
  api_.deadlines().after(delay,
                         [this, job] { api_.pool().submit_owed([this, job] { turn(job); }); });
}

void BulkRunner::turn(const JobRef& job) {
  // What is not finished goes on when the server is back.
  if (api_.stopping()) return;
  BulkRecord& record = job->record;
  if (!job->kind) {
    std::lock_guard lock(mutex_);
    jobs_.erase(record.id);
    --running_;
    return;
  }
  if (asked_to_stop(*job)) return finish(job, BulkState::stopped);
  if (record.position >= record.matched) return finish(job, BulkState::done);
  auto rest = std::chrono::ceil<milliseconds>(job->rests_until - std::chrono::steady_clock::now());
  if (rest.count() > 0) return later(job, std::min(rest, rest_look_every));
  if (job->items.empty()) {
    auto items = api_.bulks().bulk_items(record.id, 0, SIZE_MAX);
    if (!items) return later(job, busy_delay);
    job->items = *std::move(items);
  }
  size_t most = batch_items_max;
  // At most a quarter of a second's worth, or a slow rate would come in jerks.
  if (record.per_minute > 0) most = std::clamp<size_t>(record.per_minute / 240, 1, most);
  size_t count = std::min<uint64_t>(most, record.matched - record.position);
  send(job, std::make_shared<Batch>(count));
}

void BulkRunner::send(const JobRef& job, const std::shared_ptr<Batch>& batch) {
  std::vector<size_t> todo;
  {
    std::lock_guard lock(batch->mutex);
    todo = std::exchange(batch->todo, {});
    batch->open = todo.size() + 1;  // One for this loop, so that no answer can be the last before.
  }
  for (size_t index : todo) {
    uint64_t position = job->record.position + index;
    bool repeated = position < job->repeated_until || batch->tries > 0;
    job->kind->act(api_, job->record, job->items[position], repeated,
                   [this, job, batch, index](const Outcome<void>& outcome) {
                     {
                       std::lock_guard lock(batch->mutex);
                       batch->outcomes[index] = outcome;
                     }
                     answered(job, batch);
                   });
  }
  answered(job, batch);
}

/// The last to know may be the engine's thread, which must not wait for the disk.
void BulkRunner::answered(const JobRef& job, const std::shared_ptr<Batch>& batch) {
  {
    std::lock_guard lock(batch->mutex);
    if (--batch->open > 0) return;
  }
  api_.pool().submit_owed([this, job, batch] { write_progress(job, batch); });
}

void BulkRunner::write_progress(const JobRef& job, const std::shared_ptr<Batch>& batch) {
  if (api_.stopping()) return;
  for (size_t i = 0; i < batch->outcomes.size(); ++i)
    if (is_busy(*batch->outcomes[i])) batch->todo.push_back(i);
  // Who stops it does not wait for what may take long.
  if (!batch->todo.empty() && ++batch->tries < busy_tries_max && !asked_to_stop(*job)) {
    api_.deadlines().after(busy_delay, [this, job, batch] {
      api_.pool().submit_owed([this, job, batch] { send(job, batch); });
    });
    return;
  }
  BulkRecord next = job->record;
  for (size_t i = 0; i < batch->outcomes.size(); ++i) {
    const Outcome<void>& outcome = *batch->outcomes[i];
    uint64_t position = next.position + i;
    if (outcome) {
      ++next.done;
      continue;
    }
    bool failed = is_failure(outcome.error());
    ++(failed ? next.failed : next.refused);
    if (next.results.size() < results_max)
      next.results.push_back({position, job->items[position], failed,
                              std::string(name_of(outcome.error().code)), outcome.error().message});
  }
  next.position += batch->outcomes.size();
  if (!api_.bulks().set_bulk(next, nullptr)) {
    // Not yet durable, so it does not go on; what was done is not done again.
    batch->todo.clear();
    api_.deadlines().after(busy_delay, [this, job, batch] {
      api_.pool().submit_owed([this, job, batch] { write_progress(job, batch); });
    });
    return;
  }
  job->record = std::move(next);
  tell(job->record);
  if (job->record.per_minute > 0)
    job->rests_until =
        batch->begun_at + milliseconds(batch->outcomes.size() * 60'000 / job->record.per_minute);
  api_.pool().submit_owed([this, job] { turn(job); });
}

/// Those who look at operations.
void BulkRunner::tell(const BulkRecord& record) {
  Change change{record.account, "bulk", record.id, record.position + (record.ended_at ? 1 : 0),
                api_.now()};
  change.summary = Value::object({{"kind", record.kind},
                                  {"action", record.action},
                                  {"state", name_of(record.state)},
                                  {"matched", record.matched},
                                  {"processed", record.position}});
  api_.hub().changed(std::move(change));
}

void BulkRunner::finish(const JobRef& job, BulkState state) {
  BulkRecord ended = job->record;
  ended.state = state;
  ended.ended_at = api_.now();
  std::optional<AuditLine> audit;
  if (state == BulkState::stopped) {
    std::lock_guard lock(mutex_);
    audit = job->stop;
  }
  if (!api_.bulks().set_bulk(ended, audit ? &*audit : nullptr)) return later(job, busy_delay);
  tell(ended);
  std::vector<Stopped> told;
  {
    std::lock_guard lock(mutex_);
    jobs_.erase(ended.id);
    told = std::move(job->on_stopped);
    --running_;
  }
  for (const Stopped& tell : told) tell(ended);
  start_some();
}

}  // namespace fermata::server
