#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "ports/wait_store.h"

/// What is asked of waits that are all in memory, by looking at each.
namespace fermata {

using WaitRows = std::map<std::string, WaitRecord>;

inline std::vector<std::pair<AccountId, uint64_t>> counted_in(const WaitRows& waits) {
  std::map<AccountId, uint64_t> counts;
  for (const auto& [id, record] : waits)
    if (counts_in_limit(record.wait)) ++counts[record.account];
  return {counts.begin(), counts.end()};
}

inline std::vector<WaitRecord> limited_in(const WaitRows& waits, size_t after, size_t limit) {
  std::vector<const WaitRecord*> found;
  for (const auto& [id, record] : waits)
    if (record.wait.hold == held_by_limit) found.push_back(&record);
  std::sort(found.begin(), found.end(), [](const WaitRecord* a, const WaitRecord* b) {
    return std::tie(a->wait.reached_at, a->wait.id) < std::tie(b->wait.reached_at, b->wait.id);
  });
  std::vector<WaitRecord> out;
  for (size_t i = after; i < found.size() && out.size() < limit; ++i) out.push_back(*found[i]);
  return out;
}

inline std::vector<RunId> of_other_zones_in(const WaitRows& waits, const std::string& version,
                                            const RunId& after, size_t limit) {
  std::set<RunId> runs;
  for (const auto& [id, record] : waits) {
    const Value& known = record.wait.intent.get("tzdata_version");
    if (is_pending(record.wait.status) && known.is_string() && known != Value(version) &&
        after < record.run)
      runs.insert(record.run);
  }
  std::vector<RunId> out(runs.begin(), runs.end());
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace fermata
