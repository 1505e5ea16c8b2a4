#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// Where jobs may go and how many at once (jobs.md §6): one immutable value, swapped whole.
namespace fermata::fleet {

constexpr int64_t lease_ms_min = 5'000;
constexpr int64_t lease_ms_max = 3'600'000;
constexpr std::string_view default_pool = "default";

/// Of a document; more is a mistake.
constexpr size_t pools_max = 1'000;
constexpr size_t pool_topics_max = 10'000;
constexpr size_t pool_limits_max = 10'000;
constexpr int64_t rate_max = 1'000'000;
constexpr int64_t weight_max = 1'000;

/// Only active ones get jobs. What a draining one holds is taken away when its time is over.
enum class PoolStatus : uint8_t { active, draining, inactive };
std::string_view name_of(PoolStatus status);

/// Leases per second; so many at once after a pause.
struct Rate {
  int64_t per_second = 0;
  int64_t burst = 0;
  bool operator==(const Rate&) const = default;
};

/// Terms of a pool; those of `default` hold for pools that are not named.
struct PoolTerms {
  int64_t lease_ms = 30'000;
  std::optional<int64_t> run_timeout_ms{};
  std::optional<int64_t> start_timeout_ms{};
};

struct Pool {
  std::vector<std::string> capabilities{};  ///< of every worker in it; sorted
  uint32_t max_concurrent = 0;              ///< leases; 0: any number
  std::optional<Rate> rate{};
  PoolStatus status = PoolStatus::active;
  std::optional<Instant> drain_until{};
  std::optional<int64_t> lease_ms{};
  std::optional<int64_t> run_timeout_ms{};
  std::optional<int64_t> start_timeout_ms{};
  std::optional<int64_t> queue_timeout_ms{};
};
struct TopicTerms {
  uint32_t max_concurrent = 0;
  std::optional<Rate> rate{};
  std::optional<int64_t> run_timeout_ms{};
  std::optional<int64_t> start_timeout_ms{};
  std::optional<int64_t> queue_timeout_ms{};
};
/// What an account may spend in a day of UTC; 0: any amount (J-57).
struct DayBudget {
  int64_t cost_micros = 0;
  int64_t tokens = 0;
  bool operator==(const DayBudget&) const = default;
};
struct AccountTerms {
  uint32_t max_concurrent = 0;
  uint32_t weight = 1;  ///< share of an account among those who wait
  std::optional<Rate> rate{};
  DayBudget budget{};
};

struct PoolTable {
  std::map<std::string, Pool> pools;
  std::map<std::string, std::vector<std::string>> exact_topics;
  /// Patterns, the longest first.
  std::vector<std::pair<std::string, std::vector<std::string>>> topic_patterns;
  std::map<std::string, TopicTerms> topics;
  AccountTerms account_default;
  std::map<std::string, AccountTerms> accounts;
  bool has_queue_timeouts = false;
  std::map<std::string, uint32_t> keys;  ///< most leases by concurrency key, in each account

  /// False: no topic is mapped, and what workers serve decides.
  bool maps_topics() const { return !exact_topics.empty() || !topic_patterns.empty(); }
  /// Null: the topic is not mapped. An exact name beats the longest pattern.
  const std::vector<std::string>* pools_of(const std::string& topic) const;
  const Pool& pool(const std::string& name) const;
  const AccountTerms& account(const std::string& account) const;
  const TopicTerms& topic(const std::string& name) const;
  /// Of the topic, else of the pools it may go to when all of them have one: the longest.
  std::optional<int64_t> queue_timeout_ms(const std::string& topic) const;
};
using PoolTablePtr = std::shared_ptr<const PoolTable>;

/// What a document says; with findings it says nothing that may be used.
struct PoolReading {
  PoolTable table;
  std::vector<Finding> findings;
  bool ok() const { return findings.empty(); }
};
/// `known`: pools of other documents that topics of this one may name.
PoolReading read_pools(const Value& document, const std::vector<std::string>& known = {});
/// The first document with what it does not speak of added from the second: pools and topics one by
/// one, `limits` as a whole.
Value merge_pools(const Value& first, const Value& second);

}  // namespace fermata::fleet
