#include "host/job_policy.h"

#include <chrono>

#include "core/policy/judge.h"

namespace fermata {

void JobPolicy::set(policy::PolicyPtr set) {
  given_.clear();
  set_ = std::move(set);
}

const job::Policy* JobPolicy::of(const AccountId& account) {
  if (!set_) return nullptr;
  const policy::AccountPolicy& policy = set_->of(account);
  if (policy.none()) return nullptr;
  auto [given, fresh] = given_.try_emplace(&policy);
  if (fresh) {
    given->second.snapshot = policy.snapshot;
    given->second.judge = [this, &policy](const job::Job& job, Instant at) {
      auto begin = std::chrono::steady_clock::now();
      job::Judged said = policy::judge(policy, policy::facts_of(job), job.id, windows_, at);
      auto took = std::chrono::steady_clock::now() - begin;
      said.micros = static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(took).count());
      return std::optional(std::move(said));
    };
  }
  return &given->second;
}

}  // namespace fermata
