#include "core/fleet/pools.h"

#include <algorithm>

#include "core/fleet/worker.h"
#include "core/job/request.h"

namespace fermata::fleet {

namespace {

template <class Terms>
const Terms& found_or_none(const std::map<std::string, Terms>& all, const std::string& name) {
  static const Terms none;
  auto found = all.find(name);
  return found != all.end() ? found->second : none;
}

}  // namespace

std::string_view name_of(PoolStatus status) {
  switch (status) {
    case PoolStatus::active: return "active";
    case PoolStatus::draining: return "draining";
    case PoolStatus::inactive: return "inactive";
  }
  return "";
}

const std::vector<std::string>* PoolTable::pools_of(const std::string& topic) const {
  if (auto exact = exact_topics.find(topic); exact != exact_topics.end()) return &exact->second;
  for (const auto& [pattern, mapped] : topic_patterns)
    if (fits(pattern, topic)) return &mapped;
  return nullptr;
}

const Pool& PoolTable::pool(const std::string& name) const { return found_or_none(pools, name); }

const TopicTerms& PoolTable::topic(const std::string& name) const {
  return found_or_none(topics, name);
}

const AccountTerms& PoolTable::account(const std::string& account) const {
  auto found = accounts.find(account);
  return found != accounts.end() ? found->second : account_default;
}

std::optional<int64_t> PoolTable::queue_timeout_ms(const std::string& topic_name) const {
  if (!has_queue_timeouts) return std::nullopt;
  if (auto of_topic = topic(topic_name).queue_timeout_ms) return of_topic;
  const std::vector<std::string>* mapped = pools_of(topic_name);
  std::optional<int64_t> longest;
  for (const std::string& name : mapped ? *mapped : std::vector<std::string>()) {
    const auto& one = pool(name).queue_timeout_ms;
    // 0 is none: longer than all others.
    if (!one || *one == 0) return one;
    longest = std::max(longest.value_or(0), *one);
  }
  return longest;
}

Value merge_pools(const Value& first, const Value& second) {
  if (!first.is_object()) return second;
  if (!second.is_object()) return first;
  Value out = first;
  for (const char* part : {"pools", "topics"}) {
    Value merged = second.get(part).is_object() ? second.get(part) : Value::object();
    if (first.get(part).is_object())
      for (const Value::Member& member : first.get(part).members())
        merged.set(member.key.as_string(), member.value);
    if (merged.size() > 0) out.set(part, std::move(merged));
  }
  if (!first.find("limits") && second.find("limits")) out.set("limits", second.get("limits"));
  return out;
}

}  // namespace fermata::fleet
