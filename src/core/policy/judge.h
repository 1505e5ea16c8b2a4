#pragma once
#include <string>
#include <vector>

#include "core/job/decide.h"
#include "core/policy/policy_set.h"
#include "core/policy/windows.h"

namespace fermata::policy {

enum class Layer : uint8_t { invariants, bundle, base, default_ };
std::string_view name_of(Layer layer);

/// Says what holds for a job: the layers of J-21 over the rules of J-20. Pure; whoever acts on it
/// counts `counted` in the windows.
job::Judged judge(const AccountPolicy& policy, const Facts& facts, const JobId& job,
                  const Windows& windows, Instant now);

/// What has to be looked for in the input before the rules can tell; empty: nothing.
std::vector<Content> wanted_content(const AccountPolicy& policy, const Facts& facts);

/// Why a rule did not decide, or that it did.
struct Explained {
  Layer layer = Layer::base;
  std::string bundle;
  std::string rule_id;
  job::VerdictKind decision = job::VerdictKind::deny;
  bool matched = false;
  std::string failed;  ///< the first field that does not hold; `velocity` when it has room
};
/// Every rule of every layer, in the order they are asked.
std::vector<Explained> explain(const AccountPolicy& policy, const Facts& facts, const JobId& job,
                               const Windows& windows, Instant now);

/// The facts with the tags that every layer derives.
Facts derived(const AccountPolicy& policy, Facts facts);
/// The window of a rule that a job belongs to.
std::string window_key(Layer layer, const std::string& bundle, const Rule& rule,
                       const Facts& facts);

}  // namespace fermata::policy
