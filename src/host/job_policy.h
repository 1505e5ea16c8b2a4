#pragma once
#include <map>

#include "core/job/decide.h"
#include "core/policy/policy_set.h"
#include "core/policy/windows.h"
#include "ports/feed.h"
#include "ports/scans.h"

namespace fermata {

/// The policy in force as decisions about jobs are given it, and the windows of its velocity rules.
/// Used by the partition's thread alone.
class JobPolicy {
 public:
  JobPolicy(policy::OutputSettings output, Scans* scans, Feed& feed)
      : output_(output), scans_(scans), feed_(feed) {}
  JobPolicy(const JobPolicy&) = delete;
  JobPolicy& operator=(const JobPolicy&) = delete;

  void set(policy::PolicyPtr set);
  const policy::PolicyPtr& current() const { return set_; }
  /// Null where there is none. Valid until the next `set`.
  const job::Policy* of(const AccountId& account);
  policy::Windows& windows() { return windows_; }
  const policy::Windows& windows() const { return windows_; }

 private:
  job::Policy given_by(const policy::AccountPolicy& policy);

  const policy::OutputSettings output_;
  Scans* const scans_;
  Feed& feed_;
  policy::PolicyPtr set_;
  std::map<const policy::AccountPolicy*, job::Policy> given_;
  policy::Windows windows_;
};

}  // namespace fermata
