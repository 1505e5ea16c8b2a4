#include "core/job/job.h"

#include <algorithm>

namespace fermata::job {

namespace {

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

}  // namespace

std::optional<int64_t> constraint(const Verdict& verdict, std::string_view name) {
  const Value& number = verdict.constraints.get("budgets").get(name);
  if (!number.is_integer()) return std::nullopt;
  return number.as_integer();
}

Value tighter_constraints(const Value& base, const Value& other) {
  if (!base.is_object()) return other;
  if (!other.is_object()) return base;
  Value merged = base;
  Value budgets = base.get("budgets").is_object() ? base.get("budgets") : Value::object();
  const Value& theirs = other.get("budgets");
  if (theirs.is_object())
    for (const Value::Member& limit : theirs.members()) {
      const Value* ours = budgets.find(limit.key.as_string());
      if (!ours || ours->as_integer() > limit.value.as_integer())
        budgets.set(limit.key.as_string(), limit.value);
    }
  if (budgets.size() > 0) merged.set("budgets", budgets);
  for (const Value::Member& part : other.members())
    if (!merged.find(part.key.as_string())) merged.set(part.key.as_string(), part.value);
  return merged;
}

std::optional<Concurrency> policy_limit(const Verdict& verdict) {
  auto most = constraint(verdict, "max_concurrent_jobs");
  if (!most || *most < 1) return std::nullopt;
  // No submitter's key has a line break.
  return Concurrency{"policy\n" + verdict.bundle + "\n" + verdict.rule_id,
                     static_cast<uint32_t>(std::min<int64_t>(*most, UINT32_MAX))};
}

RunId Job::saga_run() const {
  return of_run() || request.saga_id.empty() ? request.step.run : RunId(request.saga_id);
}

bool Job::withholds() const {
  return state == State::output_quarantined || (held && state != State::succeeded);
}

const Attempt* Job::open_attempt() const {
  return !attempts.empty() && attempts.back().open() ? &attempts.back() : nullptr;
}

const Attempt* Job::find_attempt(uint64_t fence) const {
  auto found = std::lower_bound(attempts.begin(), attempts.end(), fence,
                                [](const Attempt& one, uint64_t key) { return one.fence < key; });
  return found != attempts.end() && found->fence == fence ? &*found : nullptr;
}

const std::string& Job::idempotency_key() const {
  return request.idempotency_key.empty() ? id.text() : request.idempotency_key;
}

std::optional<Instant> attempt_due(const Attempt& attempt, Instant engine_started_at) {
  std::optional<Instant> due = attempt.run_until;
  if (!attempt.started_at) due = earlier(due, attempt.start_until);
  if (due && attempt.dispatched_at < engine_started_at)
    due = std::max(*due, engine_started_at + Duration{attempt.lease_ms});
  return due;
}

std::optional<Instant> scan_due(const Job& job, Instant engine_started_at) {
  if (!job.held) return std::nullopt;
  const HeldOutput& held = *job.held;
  std::optional<Instant> until = held.scan_until;
  // One that an earlier life of the engine began is begun anew, and has its whole time again.
  if (until && held.begun_at && *held.begun_at < engine_started_at)
    until = std::max(*until, engine_started_at + (*until - *held.begun_at));
  return earlier(held.scan_at, until);
}

std::optional<Instant> next_due(const Job& job, Instant engine_started_at) {
  if (!job.exists()) return std::nullopt;
  if (job.finished()) return earlier(scan_due(job, engine_started_at), job.review_until);
  std::optional<Instant> due = job.deadline_at;
  switch (job.state) {
    case State::pending:
    case State::retrying: due = earlier(due, job.not_before); break;
    case State::approval_required:
      if (job.approval) due = earlier(due, job.approval->expires_at);
      break;
    case State::scheduled: due = earlier(earlier(due, job.queue_until), job.give_up_at); break;
    case State::dispatched:
    case State::running:
      if (const Attempt* open = job.open_attempt())
        due = earlier(due, attempt_due(*open, engine_started_at));
      due = earlier(due, scan_due(job, engine_started_at));
      break;
    default: break;
  }
  return due;
}

}  // namespace fermata::job
