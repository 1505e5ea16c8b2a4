#include "host/job_policy.h"

#include <chrono>

#include "core/policy/judge.h"

namespace fermata {

namespace {

uint64_t micros_since(std::chrono::steady_clock::time_point begin) {
  auto took = std::chrono::steady_clock::now() - begin;
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

}  // namespace

void JobPolicy::set(policy::PolicyPtr set) {
  given_.clear();
  set_ = std::move(set);
}

job::Policy JobPolicy::given_by(const policy::AccountPolicy& policy) {
  job::Policy given;
  given.snapshot = policy.snapshot;
  given.judge = [this, &policy](const job::Job& job, Instant at) {
    auto begin = std::chrono::steady_clock::now();
    policy::Facts facts = policy::facts_of(job);
    bool read = job.content && facts.content && job.content->snapshot == policy.snapshot;
    if (!read && !policy::wanted_content(policy, facts).empty()) {
      job::Judged unread{job::Verdict{}};
      unread.content_wanted = true;
      return std::optional(std::move(unread));
    }
    job::Judged said = policy::judge(policy, facts, job.id, windows_, at);
    said.micros = micros_since(begin);
    return std::optional(std::move(said));
  };
  const policy::OutputPolicy* output = policy.output();
  if (!output || output->rules.empty() || !output_.enabled) return given;
  given.plan_output = [this, output](const job::Job& job, const job::ResultSize& size) {
    auto begin = std::chrono::steady_clock::now();
    job::OutputPlan plan = policy::plan_output(output, output_, policy::output_facts_of(job, size));
    feed_.result_planned(job, micros_since(begin));
    return plan;
  };
  if (!scans_) return given;
  given.clean_error = [this, &policy](const job::Job& job, const Value& error) {
    job::ResultSize size;
    size.has_error = true;
    return scans_->cleaned(policy, policy::output_facts_of(job, size), error);
  };
  return given;
}

const job::Policy* JobPolicy::of(const AccountId& account) {
  if (!set_) return nullptr;
  const policy::AccountPolicy& policy = set_->of(account);
  if (policy.none()) return nullptr;
  auto given = given_.find(&policy);
  if (given == given_.end()) given = given_.emplace(&policy, given_by(policy)).first;
  return &given->second;
}

}  // namespace fermata
