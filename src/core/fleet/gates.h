#pragma once
#include <map>
#include <string>

#include "core/fleet/pools.h"
#include "core/job/report.h"
#include "core/job/words.h"

namespace fermata::fleet {

/// Why a job has no place. The first two are faults: nobody there could take it. The others wait
/// for something that comes by itself (J-53).
enum class Reason : uint8_t {
  none,
  no_pool_mapping,
  no_workers,
  pool_overloaded,
  tenant_limit,
  key_limit,
  rate_limited,
  budget_exhausted,
};
std::string_view name_of(Reason reason);
constexpr bool is_fault(Reason reason) {
  return reason == Reason::no_pool_mapping || reason == Reason::no_workers;
}
job::Phase phase_of(Reason reason);

/// Tokens of a rate, in millionths: whole numbers, so nothing is lost or won by looking often.
class Bucket {
 public:
  /// When there is a token; nothing: now.
  std::optional<Instant> next(const Rate& rate, Instant now) const;
  void take(const Rate& rate, Instant now);
  void give_back(const Rate& rate);

 private:
  int64_t level(const Rate& rate, Instant now) const;
  int64_t micros_ = 0;
  /// Of the level; nothing: it is full. A clock that went back takes it along when it is looked at.
  mutable std::optional<Instant> at_;
};

/// What is used of the limits of accounts, pools and topics: leases that are held, tokens of rates,
/// and what was spent today (J-56, J-57).
class Gates {
 public:
  struct Closed {
    Reason reason;
    std::optional<Instant> until{};  ///< when it opens by itself
  };
  Gates();
  void use(PoolTablePtr table) { table_ = std::move(table); }
  const PoolTable& table() const { return *table_; }

  /// What keeps the jobs of an account; `exempt` ones from its budget.
  std::optional<Closed> account(const std::string& account, bool exempt, Instant now) const;
  std::optional<Closed> pool(const std::string& pool, Instant now) const;
  std::optional<Closed> topic(const std::string& topic, Instant now) const;

  /// A lease begins with a token of each rate; one that is known from the store has had its token.
  void count(const std::string& account, const std::string& pool, const std::string& topic,
             std::optional<Instant> token_at);
  /// It is over; or it never was, and its tokens come back.
  void uncount(const std::string& account, const std::string& pool, const std::string& topic,
               bool tokens_back);
  /// Adds to what the account has spent on the day of `at`.
  void spend(const std::string& account, const job::Usage& usage, Instant at);
  job::Usage spent(const std::string& account, Instant now) const;

  uint32_t leases_of_pool(const std::string& pool) const { return leases(pools_, pool); }
  uint32_t leases_of_account(const std::string& account) const {
    return leases(accounts_, account);
  }

 private:
  struct Use {
    uint32_t leases = 0;
    Bucket bucket{};
  };
  using Uses = std::map<std::string, Use>;
  struct Spent {
    int64_t day = 0;
    job::Usage usage{};
  };
  static uint32_t leases(const Uses& uses, const std::string& name);
  template <class Terms>
  static std::optional<Closed> look(const Uses& uses, const std::string& name, const Terms& terms,
                                    Reason at_limit, Instant now);
  template <class Terms>
  static void add(Uses& uses, const std::string& name, const Terms& terms,
                  std::optional<Instant> token_at);
  template <class Terms>
  static void drop(Uses& uses, const std::string& name, const Terms& terms, bool tokens_back);

  PoolTablePtr table_;
  Uses accounts_;
  Uses pools_;
  Uses topics_;
  std::map<std::string, Spent> spent_;
};

/// The days of budgets are those of UTC.
constexpr int64_t day_ms = 86'400'000;
constexpr int64_t day_of(Instant at) {
  return at.ms >= 0 ? at.ms / day_ms : (at.ms - day_ms + 1) / day_ms;
}

}  // namespace fermata::fleet
