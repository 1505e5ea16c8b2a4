#include "host/job_policy.h"

#include <chrono>

#include "core/policy/judge.h"

namespace fermata {

void JobPolicy::set(policy::PolicyPtr set) {
  held_.clear();
  set_ = std::move(set);
}

JobPolicy::Held& JobPolicy::held(const policy::AccountPolicy& policy) {
  auto [held, fresh] = held_.try_emplace(&policy);
  Held& made = held->second;
  if (!fresh) return made;
  made.rules = policy;
  if (settings_.mode == PolicyMode::kernel) {
    made.rules.bundles.clear();
    made.rules.base = nullptr;
  }
  made.fail_mode = policy::fail_mode_of(policy, settings_.fail_mode);
  made.given.snapshot = policy.snapshot;
  if (policy.none()) return made;
  made.given.judge = [this, &rules = made.rules](const job::Job& job, Instant at) {
    auto begin = std::chrono::steady_clock::now();
    job::Judged said = policy::judge(rules, policy::facts_of(job), job.id, windows_, at);
    auto took = std::chrono::steady_clock::now() - begin;
    said.micros =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    return std::optional(std::move(said));
  };
  return made;
}

const job::Policy* JobPolicy::of(const AccountId& account, std::optional<job::Kernel> kernel) {
  const policy::AccountPolicy* policy = set_ ? &set_->of(account) : nullptr;
  if (!kernel && (!policy || policy->none())) return nullptr;
  Held& found = policy ? held(*policy) : none_;
  found.given.kernel = std::move(kernel);
  if (found.given.kernel)
    found.given.kernel->fail_mode =
        policy ? found.fail_mode : settings_.fail_mode.value_or(job::FailMode::closed);
  return &found.given;
}

}  // namespace fermata
