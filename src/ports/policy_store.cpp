#include "ports/policy_store.h"

#include "core/policy/glob.h"

namespace fermata {

bool matches(const DecisionFilter& filter, const job::PolicyDecision& decision) {
  if (!filter.account.empty() && filter.account != decision.account) return false;
  if (!filter.job.empty() && filter.job != decision.job) return false;
  if (!filter.topic.empty() && !policy::Glob(filter.topic).matches(decision.topic)) return false;
  if (filter.decision && *filter.decision != decision.decision) return false;
  if (!filter.rule_id.empty() && filter.rule_id != decision.rule_id) return false;
  if (!filter.snapshot.empty() && filter.snapshot != decision.snapshot) return false;
  if (filter.from && decision.at < *filter.from) return false;
  return !filter.to || decision.at < *filter.to;
}

}  // namespace fermata
