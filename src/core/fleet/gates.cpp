#include "core/fleet/gates.h"

#include <algorithm>

#include "base/check.h"

namespace fermata::fleet {

namespace {

constexpr int64_t token = 1'000'000;

}  // namespace

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::none: return "";
    case Reason::no_pool_mapping: return "no_pool_mapping";
    case Reason::no_workers: return "no_workers";
    case Reason::pool_overloaded: return "pool_overloaded";
    case Reason::tenant_limit: return "tenant_limit";
    case Reason::key_limit: return "key_limit";
    case Reason::rate_limited: return "rate_limited";
    case Reason::budget_exhausted: return "budget_exhausted";
  }
  return "";
}

job::Phase phase_of(Reason reason) {
  switch (reason) {
    case Reason::none:
    case Reason::pool_overloaded: return job::Phase::ready;
    case Reason::no_pool_mapping:
    case Reason::no_workers: return job::Phase::no_workers;
    case Reason::tenant_limit:
    case Reason::key_limit: return job::Phase::limited;
    case Reason::rate_limited: return job::Phase::rate_limited;
    case Reason::budget_exhausted: return job::Phase::budget;
  }
  return job::Phase::ready;
}

int64_t Bucket::level(const Rate& rate, Instant now) const {
  int64_t full = rate.burst * token;
  if (!at_) return full;
  if (now < *at_) at_ = now;
  // Per millisecond a thousandth of what comes in a second.
  int64_t per_ms = rate.per_second * (token / 1'000);
  int64_t passed = (now - *at_).ms;
  if (passed >= (full - std::min(full, micros_)) / per_ms + 1) return full;
  return std::min(full, micros_ + passed * per_ms);
}

std::optional<Instant> Bucket::next(const Rate& rate, Instant now) const {
  int64_t there = level(rate, now);
  if (there >= token) return std::nullopt;
  int64_t per_ms = rate.per_second * (token / 1'000);
  return now + Duration{(token - there + per_ms - 1) / per_ms};
}

void Bucket::take(const Rate& rate, Instant now) {
  micros_ = level(rate, now) - token;
  at_ = now;
}

void Bucket::give_back(const Rate& rate) {
  if (at_) micros_ = std::min(rate.burst * token, micros_ + token);
}

Gates::Gates() : table_(std::make_shared<const PoolTable>()) {}

uint32_t Gates::leases(const Uses& uses, const std::string& name) {
  auto found = uses.find(name);
  return found != uses.end() ? found->second.leases : 0;
}

template <class Terms>
std::optional<Gates::Closed> Gates::look(const Uses& uses, const std::string& name,
                                         const Terms& terms, Reason at_limit, Instant now) {
  if (terms.max_concurrent == 0 && !terms.rate) return std::nullopt;
  auto found = uses.find(name);
  if (found == uses.end()) return std::nullopt;
  if (terms.max_concurrent > 0 && found->second.leases >= terms.max_concurrent)
    return Closed{at_limit};
  if (terms.rate)
    if (auto until = found->second.bucket.next(*terms.rate, now))
      return Closed{Reason::rate_limited, until};
  return std::nullopt;
}

std::optional<Gates::Closed> Gates::account(const std::string& account, bool exempt,
                                            Instant now) const {
  const AccountTerms& terms = table_->account(account);
  if (auto closed = look(accounts_, account, terms, Reason::tenant_limit, now)) return closed;
  const DayBudget& budget = terms.budget;
  if (exempt || (budget.cost_micros == 0 && budget.tokens == 0)) return std::nullopt;
  job::Usage used = spent(account, now);
  bool over = (budget.cost_micros > 0 && used.cost_micros >= budget.cost_micros) ||
              (budget.tokens > 0 &&
               used.input_tokens >= budget.tokens - std::min(budget.tokens, used.output_tokens));
  if (!over) return std::nullopt;
  return Closed{Reason::budget_exhausted, Instant{(day_of(now) + 1) * day_ms}};
}

std::optional<Gates::Closed> Gates::pool(const std::string& pool, Instant now) const {
  return look(pools_, pool, table_->pool(pool), Reason::pool_overloaded, now);
}

std::optional<Gates::Closed> Gates::topic(const std::string& topic, Instant now) const {
  return look(topics_, topic, table_->topic(topic), Reason::key_limit, now);
}

template <class Terms>
void Gates::add(Uses& uses, const std::string& name, const Terms& terms,
                std::optional<Instant> token_at) {
  Use& use = uses[name];
  ++use.leases;
  if (terms.rate && token_at) use.bucket.take(*terms.rate, *token_at);
}

template <class Terms>
void Gates::drop(Uses& uses, const std::string& name, const Terms& terms, bool tokens_back) {
  auto found = uses.find(name);
  check(found != uses.end() && found->second.leases > 0);
  --found->second.leases;
  if (terms.rate && tokens_back) found->second.bucket.give_back(*terms.rate);
  if (found->second.leases == 0 && !terms.rate) uses.erase(found);
}

void Gates::count(const std::string& account, const std::string& pool, const std::string& topic,
                  std::optional<Instant> token_at) {
  add(accounts_, account, table_->account(account), token_at);
  add(pools_, pool, table_->pool(pool), token_at);
  add(topics_, topic, table_->topic(topic), token_at);
}

void Gates::uncount(const std::string& account, const std::string& pool, const std::string& topic,
                    bool tokens_back) {
  drop(accounts_, account, table_->account(account), tokens_back);
  drop(pools_, pool, table_->pool(pool), tokens_back);
  drop(topics_, topic, table_->topic(topic), tokens_back);
}

void Gates::spend(const std::string& account, const job::Usage& usage, Instant at) {
  if (usage == job::Usage{}) return;
  Spent& spent = spent_[account];
  int64_t day = day_of(at);
  if (day < spent.day) return;
  if (day > spent.day) spent = {day, {}};
  spent.usage = spent.usage + usage;
}

job::Usage Gates::spent(const std::string& account, Instant now) const {
  auto found = spent_.find(account);
  if (found == spent_.end() || found->second.day != day_of(now)) return {};
  return found->second.usage;
}

}  // namespace fermata::fleet
