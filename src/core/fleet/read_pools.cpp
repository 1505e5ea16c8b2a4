#include <algorithm>
#include <set>

#include "base/json.h"
#include "core/fleet/pools.h"
#include "core/fleet/worker.h"
#include "core/job/members.h"
#include "core/job/request.h"

/// Reads documents of pools. Mistakes become findings and reading goes on.
namespace fermata::fleet {

namespace {

using job::Members;

constexpr int64_t timeout_ms_max = int64_t{366} * 86'400'000;

/// The members of an object, by name and path.
template <class Read>
void each_member(Members& members, std::string_view name, size_t most, Read read) {
  const Value* object = members.any(name);
  if (!object || object->is_null()) return;
  if (!object->is_object() || object->size() > most) {
    members.wrong(name, "An object of at most " + std::to_string(most) + " members is expected.");
    return;
  }
  std::string path = members.path_of(name);
  for (const Value::Member& member : object->members())
    read(std::string(member.key.as_string()), member.value,
         path + "/" + escape_pointer(member.key.as_string()));
}

void wrong_name(Members& members, const std::string& path, std::string message) {
  members.findings().push_back({"invalid_field", path, std::move(message), {}});
}

bool check_name(Members& members, const std::string& name, const std::string& path) {
  if (is_name(name, job::name_bytes_max)) return true;
  wrong_name(members, path,
             "1 to " + std::to_string(job::name_bytes_max) +
                 " bytes without control characters are expected.");
  return false;
}

std::optional<Rate> read_rate(Members& members) {
  const Value* given = members.any("rate");
  if (!given || given->is_null()) return std::nullopt;
  Members part(*given, members.path_of("rate"), members.findings());
  part.require("per_second");
  Rate rate;
  rate.per_second = part.integer("per_second", 1, rate_max).value_or(1);
  rate.burst = part.integer("burst", 1, rate_max).value_or(rate.per_second);
  part.finish();
  return rate;
}

uint32_t read_most(Members& members) {
  return static_cast<uint32_t>(members.integer("max_concurrent", 0, UINT32_MAX).value_or(0));
}

template <class Terms>
void read_timeouts(Members& members, Terms& terms) {
  terms.run_timeout_ms = members.integer("run_timeout_ms", 0, timeout_ms_max);
  terms.start_timeout_ms = members.integer("start_timeout_ms", 0, timeout_ms_max);
  terms.queue_timeout_ms = members.integer("queue_timeout_ms", 0, timeout_ms_max);
}

std::vector<std::string> read_capabilities(Members& members) {
  std::vector<std::string> out = members.texts("capabilities");
  for (std::string& more : members.texts("requires")) out.push_back(std::move(more));
  lower_and_sort(out);
  for (const std::string& one : out)
    if (!is_name(one, job::fact_bytes_max) || out.size() > job::facts_max)
      return members.wrong("capabilities", "At most " + std::to_string(job::facts_max) +
                                               " of 1 to " + std::to_string(job::fact_bytes_max) +
                                               " bytes without control characters are expected."),
             std::vector<std::string>{};
  return out;
}

void read_status(Members& members, Pool& pool) {
  if (auto text = members.text("status")) {
    auto is_it = [&](PoolStatus status) { return name_of(status) == *text; };
    constexpr PoolStatus all[] = {PoolStatus::active, PoolStatus::draining, PoolStatus::inactive};
    auto found = std::find_if(std::begin(all), std::end(all), is_it);
    if (found == std::end(all))
      members.wrong("status", "`" + *text + "` is none of active, draining, inactive.");
    else
      pool.status = *found;
  }
  if (auto text = members.text("drain_until")) {
    pool.drain_until = parse_rfc3339(*text);
    if (!pool.drain_until) members.wrong("drain_until", "An instant of RFC 3339 is expected.");
  }
}

Pool read_pool(const Value& value, const std::string& path, std::vector<Finding>& findings) {
  Members members(value, path, findings);
  Pool pool;
  pool.capabilities = read_capabilities(members);
  pool.max_concurrent = read_most(members);
  pool.rate = read_rate(members);
  read_status(members, pool);
  pool.lease_ms = members.integer("lease_ms", lease_ms_min, lease_ms_max);
  read_timeouts(members, pool);
  members.finish();
  return pool;
}

/// One pool, or a list of them, each once.
std::vector<std::string> read_mapping(const Value& value, const std::string& path,
                                      const std::set<std::string>& known,
                                      std::vector<Finding>& findings) {
  std::vector<std::string> out;
  std::vector<Value> named = value.is_array()
                                 ? std::vector<Value>(value.items().begin(), value.items().end())
                                 : std::vector<Value>{value};
  if (named.empty())
    findings.push_back({"invalid_field", path, "The name of a pool is expected.", {}});
  for (size_t i = 0; i < named.size(); ++i) {
    std::string at = value.is_array() ? path + "/" + std::to_string(i) : path;
    if (!named[i].is_string()) {
      findings.push_back({"invalid_field", at, "The name of a pool is expected.", {}});
      continue;
    }
    std::string name(named[i].as_string());
    if (!known.contains(name))
      findings.push_back({"unknown_pool", at, "There is no pool `" + name + "`.", {}});
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

void read_topics(Members& members, const std::set<std::string>& known, PoolTable& table) {
  std::set<std::string> seen;
  each_member(members, "topics", pool_topics_max,
              [&](const std::string& name, const Value& value, const std::string& path) {
                std::string topic = name == "*" ? "job.*" : job::full_topic(name);
                if (!is_topic_pattern(topic))
                  return wrong_name(members, path,
                                    "Words of letters, digits, _, - and *, joined by dots, are "
                                    "expected.");
                if (!seen.insert(topic).second)
                  return wrong_name(members, path, "`" + topic + "` is mapped already.");
                auto pools = read_mapping(value, path, known, members.findings());
                if (topic.find('*') == std::string::npos)
                  table.exact_topics.emplace(std::move(topic), std::move(pools));
                else
                  table.topic_patterns.emplace_back(std::move(topic), std::move(pools));
              });
  std::sort(table.topic_patterns.begin(), table.topic_patterns.end(),
            [](const auto& a, const auto& b) {
              if (a.first.size() != b.first.size()) return a.first.size() > b.first.size();
              return a.first < b.first;
            });
}

AccountTerms read_account(const Value& value, const std::string& path, AccountTerms terms,
                          std::vector<Finding>& findings) {
  Members members(value, path, findings);
  if (auto most = members.integer("max_concurrent", 0, UINT32_MAX))
    terms.max_concurrent = static_cast<uint32_t>(*most);
  if (auto weight = members.integer("weight", 1, weight_max))
    terms.weight = static_cast<uint32_t>(*weight);
  if (auto rate = read_rate(members)) terms.rate = rate;
  if (const Value* given = members.any("budget"); given && !given->is_null()) {
    Members part(*given, members.path_of("budget"), findings);
    terms.budget.cost_micros = part.integer("per_day_cost_micros", 0, INT64_MAX).value_or(0);
    terms.budget.tokens = part.integer("per_day_tokens", 0, INT64_MAX).value_or(0);
    part.finish();
  }
  members.finish();
  return terms;
}

void read_accounts(Members& limits, PoolTable& table) {
  auto each = [&](auto read) { each_member(limits, "accounts", pool_limits_max, read); };
  // First of all: what others do not say is taken from it.
  each([&](const std::string& name, const Value& value, const std::string& path) {
    if (name == default_pool)
      table.account_default = read_account(value, path, {}, limits.findings());
  });
  each([&](const std::string& name, const Value& value, const std::string& path) {
    if (name != default_pool && check_name(limits, name, path))
      table.accounts[name] = read_account(value, path, table.account_default, limits.findings());
  });
}

void read_limits(Members& members, PoolTable& table) {
  const Value* given = members.any("limits");
  if (!given || given->is_null()) return;
  Members limits(*given, members.path_of("limits"), members.findings());
  read_accounts(limits, table);
  each_member(limits, "keys", pool_limits_max,
              [&](const std::string& name, const Value& value, const std::string& path) {
                if (!check_name(limits, name, path)) return;
                Members key(value, path, limits.findings());
                key.require("max_concurrent");
                if (uint32_t most = read_most(key)) table.keys[name] = most;
                key.finish();
              });
  each_member(limits, "topics", pool_limits_max,
              [&](const std::string& name, const Value& value, const std::string& path) {
                std::string topic = job::full_topic(name);
                if (!job::is_valid_topic(topic))
                  return wrong_name(limits, path,
                                    "A topic is expected: words of letters, digits, _ and -, "
                                    "joined by dots.");
                Members part(value, path, limits.findings());
                TopicTerms& terms = table.topics[topic];
                terms.max_concurrent = read_most(part);
                terms.rate = read_rate(part);
                read_timeouts(part, terms);
                part.finish();
              });
  limits.finish();
}

}  // namespace

PoolReading read_pools(const Value& document, const std::vector<std::string>& known) {
  PoolReading reading;
  if (!document.is_object()) {
    reading.findings.push_back({"invalid_field", "", "Pools are an object.", {}});
    return reading;
  }
  Members members(document, "", reading.findings);
  const Value* version = members.any("version");
  if (!version || !version->is_integer() || version->as_integer() != 1)
    members.wrong("version", "`version: 1` is expected.");
  std::set<std::string> names(known.begin(), known.end());
  names.emplace(default_pool);
  each_member(members, "pools", pools_max,
              [&](const std::string& name, const Value& value, const std::string& path) {
                if (!check_name(members, name, path)) return;
                names.insert(name);
                reading.table.pools[name] = read_pool(value, path, reading.findings);
              });
  read_topics(members, names, reading.table);
  read_limits(members, reading.table);
  auto has_timeout = [](const auto& named) { return named.second.queue_timeout_ms.has_value(); };
  PoolTable& table = reading.table;
  table.has_queue_timeouts = std::any_of(table.pools.begin(), table.pools.end(), has_timeout) ||
                             std::any_of(table.topics.begin(), table.topics.end(), has_timeout);
  members.finish();
  return reading;
}

}  // namespace fermata::fleet
