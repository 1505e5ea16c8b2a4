#pragma once
#include <map>

#include "core/job/decide.h"
#include "core/policy/policy_set.h"
#include "core/policy/windows.h"
#include "host/kernel_desk.h"
#include "ports/feed.h"
#include "ports/scans.h"

namespace fermata {

/// The policy in force as decisions about jobs are given it, and the windows of its velocity rules.
/// Used by the partition's thread alone.
class JobPolicy {
 public:
  /// What it says of results: where, who reads them here, and whether a kernel reads them too.
  struct Outputs {
    policy::OutputSettings settings{};
    Scans* scans = nullptr;
    bool kernel = false;
  };
  JobPolicy(const PolicySettings& settings, Outputs outputs, Feed& feed);
  JobPolicy(const JobPolicy&) = delete;
  JobPolicy& operator=(const JobPolicy&) = delete;

  void set(policy::PolicyPtr set);
  const policy::PolicyPtr& current() const { return set_; }
  /// Null where there is none. Valid until the next `set`. `kernel`: where one is asked as well.
  const job::Policy* of(const AccountId& account, std::optional<job::Kernel> kernel);
  policy::Windows& windows() { return windows_; }
  const policy::Windows& windows() const { return windows_; }

 private:
  /// What of a policy is judged here: all of it, or the invariants where a kernel does the rest.
  struct Held {
    policy::AccountPolicy rules;
    job::Policy given;
    job::FailMode fail_mode = job::FailMode::closed;
  };
  void give_output(const policy::AccountPolicy* policy, job::Policy& given);
  Held& held(const policy::AccountPolicy& policy);

  const PolicySettings settings_;
  const Outputs outputs_;
  Feed& feed_;
  policy::PolicyPtr set_;
  std::map<const policy::AccountPolicy*, Held> held_;
  Held none_;  ///< of a server without policy
  policy::Windows windows_;
};

}  // namespace fermata
