#include <algorithm>
#include <map>

#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"
#include "server/routes/run_sieve.h"

namespace fermata::server::routes {
namespace {

/// Runs that are looked at, newest first, where no counter is kept of what is asked for.
constexpr uint64_t looked_at_max = 10'000;

struct Group {
  uint64_t count = 0;
  Instant first;
  Instant last;
};
struct Groups {
  std::map<std::string, Group> by_key;
  uint64_t counted = 0;
  bool more = false;
};

using KeyOf = std::string (*)(const RunSummary&);

Outcome<KeyOf> key_of(const std::string& name) {
  if (name == "status")
    return KeyOf{[](const RunSummary& run) { return std::string(name_of(run.status)); }};
  if (name == "workflow_id")
    return KeyOf{[](const RunSummary& run) { return run.workflow.text(); }};
  if (name == "error_code") return KeyOf{[](const RunSummary& run) { return run.error_code; }};
  if (name == "version")
    return KeyOf{[](const RunSummary& run) { return std::to_string(run.workflow_version); }};
  return front::bad_query("group_by",
                          "One of status, workflow_id, error_code and version is expected.");
}

/// By status alone the counters know it, however many there are.
Outcome<Groups> kept(Api& api, const AccountId& account) {
  FERMATA_TRY(counts, api.reader().counts(account));
  Groups groups;
  for (const auto& [status, count] : counts) {
    if (count == 0) continue;
    groups.by_key[std::string(name_of(status))].count = count;
    groups.counted += count;
  }
  return groups;
}

Outcome<Groups> looked_up(Api& api, const RunFilter& filter, const RunSieve& sieve, KeyOf key) {
  Groups groups;
  uint64_t looked_at = 0;
  std::string cursor;
  do {
    FERMATA_TRY(found, list_runs(api, filter, sieve, front::page_limit_max, cursor));
    const RunPage& page = found.page;
    for (const RunSummary& run : page.items) {
      std::string name = key(run);
      if (name.empty()) continue;
      Group& group = groups.by_key[name];
      Instant at = run.completed_at.value_or(run.started_at);
      group.first = group.count == 0 ? at : std::min(group.first, at);
      group.last = group.count == 0 ? at : std::max(group.last, at);
      ++group.count;
    }
    groups.counted += page.items.size();
    // A page that found little has looked at much.
    bool by_row = !sieve.none() && sieve.at.none();
    looked_at += by_row ? looked_at_max : std::max(page.items.size(), front::page_limit_max);
    cursor = page.next_cursor;
  } while (!cursor.empty() && looked_at < looked_at_max);
  groups.more = !cursor.empty();
  return groups;
}

Value groups_value(const Groups& groups) {
  std::vector<std::pair<std::string, Group>> sorted(groups.by_key.begin(), groups.by_key.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  Value list = Value::array();
  for (const auto& [key, group] : sorted) {
    Value one = Value::object({{"key", key}, {"count", group.count}});
    if (group.last.ms > 0) {
      one.set("first_at", to_rfc3339(group.first));
      one.set("last_at", to_rfc3339(group.last));
    }
    list.push(std::move(one));
  }
  return list;
}

Outcome<Value> stats_of(Api& api, const Call& call) {
  const std::string* asked = front::find_value(call.query, "group_by");
  std::string by = asked ? *asked : "status";
  FERMATA_TRY(key, key_of(by));
  FERMATA_TRY(filter, front::read_run_filter(call.query, call.who.account));
  FERMATA_TRY(sieve, read_run_sieve(call.query));
  RunFilter all;
  all.account = call.who.account;
  bool counted = by == "status" && filter == all && sieve.none();
  auto groups = counted ? kept(api, call.who.account) : looked_up(api, filter, sieve, key);
  if (!groups) return Failure{std::move(groups).error()};
  return Value::object({{"group_by", by},
                        {"groups", groups_value(*groups)},
                        {"counted", groups->counted},
                        {"more", groups->more}});
}

}  // namespace

void execution_stats(Api& api, Call call) {
  auto answer = stats_of(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
