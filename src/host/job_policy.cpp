#include "host/job_policy.h"

#include <chrono>

#include "core/policy/judge.h"
#include "core/policy/release.h"

namespace fermata {

namespace {

uint64_t micros_since(std::chrono::steady_clock::time_point begin) {
  auto took = std::chrono::steady_clock::now() - begin;
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

}  // namespace

void JobPolicy::set(policy::PolicyPtr set) {
  held_.clear();
  set_ = std::move(set);
}

JobPolicy::JobPolicy(const PolicySettings& settings, Outputs outputs, Feed& feed)
    : settings_(settings), outputs_(outputs), feed_(feed) {
  give_output(nullptr, none_.given);
}

/// The part that is about results. Without a policy it is the kernel's alone.
void JobPolicy::give_output(const policy::AccountPolicy* policy, job::Policy& given) {
  const policy::OutputPolicy* output = policy ? policy->output() : nullptr;
  bool rules = output && !output->rules.empty();
  if (!outputs_.settings.enabled || (!rules && !outputs_.kernel)) return;
  given.plan_output = [this, output](const job::Job& job, const job::ResultSize& size) {
    auto begin = std::chrono::steady_clock::now();
    auto plan_of = outputs_.kernel ? policy::plan_for_kernel : policy::plan_output;
    job::OutputPlan plan = plan_of(output, outputs_.settings, policy::output_facts_of(job, size));
    feed_.result_planned(job, micros_since(begin));
    return plan;
  };
  if (!outputs_.scans || !rules) return;
  given.clean_error = [this, policy](const job::Job& job, const Value& error) {
    job::ResultSize size;
    size.has_error = true;
    return outputs_.scans->cleaned(*policy, policy::output_facts_of(job, size), error);
  };
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
  give_output(&policy, made.given);
  if (policy.none()) return made;
  made.given.judge = [this, &rules = made.rules](const job::Job& job, Instant at) {
    auto begin = std::chrono::steady_clock::now();
    policy::Facts facts = policy::facts_of(job);
    bool read = job.content && facts.content && job.content->snapshot == rules.snapshot;
    if (!read && !policy::wanted_content(rules, facts).empty()) {
      job::Judged unread{job::Verdict{}};
      unread.content_wanted = true;
      return std::optional(std::move(unread));
    }
    job::Judged said = policy::judge(rules, facts, job.id, windows_, at);
    said.micros = micros_since(begin);
    return std::optional(std::move(said));
  };
  return made;
}

const job::Policy* JobPolicy::of(const AccountId& account, std::optional<job::Kernel> kernel) {
  const policy::AccountPolicy* policy = set_ ? &set_->of(account) : nullptr;
  if (!kernel && !outputs_.kernel && (!policy || policy->none())) return nullptr;
  Held& found = policy ? held(*policy) : none_;
  found.given.kernel = std::move(kernel);
  if (found.given.kernel)
    found.given.kernel->fail_mode =
        policy ? found.fail_mode : settings_.fail_mode.value_or(job::FailMode::closed);
  return &found.given;
}

}  // namespace fermata
