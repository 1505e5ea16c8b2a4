#include <algorithm>

#include "core/fleet/view.h"
#include "core/job/retry.h"

/// Pools, limits, and where a job would go.
namespace fermata::fleet::view {

namespace {

constexpr size_t candidates_max = 100;

Value texts(const std::vector<std::string>& list) {
  Value out = Value::array();
  for (const std::string& text : list) out.push(text);
  return out;
}

Value rate(const std::optional<Rate>& rate) {
  if (!rate) return {};
  return Value::object({{"per_second", rate->per_second}, {"burst", rate->burst}});
}

template <class Terms>
void set_timeouts(Value& out, const Terms& terms) {
  if (terms.run_timeout_ms) out.set("run_timeout_ms", *terms.run_timeout_ms);
  if (terms.start_timeout_ms) out.set("start_timeout_ms", *terms.start_timeout_ms);
  if (terms.queue_timeout_ms) out.set("queue_timeout_ms", *terms.queue_timeout_ms);
}

/// What people can do about it.
std::string_view cure_of(Reason reason) {
  switch (reason) {
    case Reason::none: return "";
    case Reason::no_pool_mapping:
      return "Map the topic to a pool, or name one of its pools in `preferred_pool`.";
    case Reason::no_workers:
      return "Start a worker in one of its pools that serves the topic and has what is required.";
    case Reason::pool_overloaded: return "A slot that becomes free, or another worker.";
    case Reason::tenant_limit: return "A job of the account that ends, or a higher limit.";
    case Reason::key_limit: return "A job with the same key or topic that ends, or a higher limit.";
    case Reason::rate_limited: return "The next token of the rate comes by itself.";
    case Reason::budget_exhausted: return "The next day of UTC, or a higher budget.";
  }
  return "";
}

Value candidate(const Fleet& fleet, const Registration& worker, const std::string& topic,
                Instant now) {
  return Value::object({{"worker_id", worker.card.worker.text()},
                        {"pool", worker.card.pool},
                        {"score", worker.score()},
                        {"free_slots", worker.free_slots()},
                        {"waiting", worker.claim.has_value()},
                        {"overloaded", worker.overloaded()},
                        {"passed_over", fleet.passes_over(worker, topic, now)}});
}

Value candidates(const Fleet& fleet, Queue::ClassId id, Instant now) {
  std::vector<const Registration*> found;
  const auto& profiles = fleet.queue().profiles_of(id);
  for (const auto& [name, one] : fleet.registrations())
    if (std::find(profiles.begin(), profiles.end(), one.profile) != profiles.end())
      found.push_back(&one);
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
    if (a->score() != b->score()) return a->score() < b->score();
    return a->last_assigned < b->last_assigned;
  });
  if (found.size() > candidates_max) found.resize(candidates_max);
  Value out = Value::array();
  for (const Registration* one : found)
    out.push(candidate(fleet, *one, fleet.queue().facts_of(id).topic, now));
  return out;
}

}  // namespace

Value pool(const std::string& name, const PoolTable& table) {
  const Pool& pool = table.pool(name);
  Value out = Value::object({{"name", name},
                             {"status", name_of(pool.status)},
                             {"capabilities", texts(pool.capabilities)},
                             {"max_concurrent", pool.max_concurrent},
                             {"rate", rate(pool.rate)}});
  if (pool.drain_until) out.set("drain_until", to_rfc3339(*pool.drain_until));
  if (pool.lease_ms) out.set("lease_ms", *pool.lease_ms);
  set_timeouts(out, pool);
  Value topics = Value::array();
  auto add = [&](const std::string& topic, const std::vector<std::string>& mapped) {
    if (std::find(mapped.begin(), mapped.end(), name) != mapped.end()) topics.push(topic);
  };
  for (const auto& [topic, mapped] : table.exact_topics) add(topic, mapped);
  for (const auto& [topic, mapped] : table.topic_patterns) add(topic, mapped);
  out.set("topics", std::move(topics));
  return out;
}

Value limits(const Queue& queue, Instant now, const AccountId& account) {
  const PoolTable& table = queue.table();
  const AccountTerms& terms = table.account(account.text());
  job::Usage spent = queue.gates().spent(account.text(), now);
  Value of_account =
      Value::object({{"max_concurrent", terms.max_concurrent},
                     {"weight", terms.weight},
                     {"rate", rate(terms.rate)},
                     {"leases", queue.gates().leases_of_account(account.text())},
                     {"waiting", queue.waiting_of(account)},
                     {"budget", Value::object({{"per_day_cost_micros", terms.budget.cost_micros},
                                               {"per_day_tokens", terms.budget.tokens}})},
                     {"spent_today", Value::object({{"cost_micros", spent.cost_micros},
                                                    {"input_tokens", spent.input_tokens},
                                                    {"output_tokens", spent.output_tokens}})}});
  Value keys = Value::object();
  for (const auto& [key, most] : table.keys)
    keys.set(key, Value::object({{"max_concurrent", most}}));
  Value topics = Value::object();
  for (const auto& [topic, one] : table.topics) {
    Value item = Value::object({{"max_concurrent", one.max_concurrent}, {"rate", rate(one.rate)}});
    set_timeouts(item, one);
    topics.set(topic, std::move(item));
  }
  return Value::object({{"account", std::move(of_account)},
                        {"keys", std::move(keys)},
                        {"topics", std::move(topics)}});
}

void add_waiting(Value& out, const Fleet& fleet, const JobId& job, std::optional<Instant> since,
                 Instant now) {
  if (!fleet.queue().holds(job)) return;
  Queue::Kept kept = fleet.queue().reason_of(now, fleet.queue().class_of(job));
  out.set("phase", name_of(phase_of(kept.reason)));
  out.set("reason_code", name_of(kept.reason));
  if (!is_fault(kept.reason) || !since) return;
  int64_t waited_ms = (now - std::max(kept.since, *since)).ms;
  out.set("scheduling_attempts", job::scheduling_attempts(std::max<int64_t>(waited_ms, 0)));
}

Value placement(const Fleet& fleet, const job::Job& job, Instant now) {
  Value out = Value::object({{"job_id", job.id.text()}, {"state", name_of(job.state)}});
  if (const job::Attempt* open = job.open_attempt()) {
    out.set("worker_id", open->worker.text());
    out.set("pool", open->pool);
  }
  if (!fleet.queue().holds(job.id)) return out;
  Queue::ClassId id = fleet.queue().class_of(job.id);
  const auto& pools = fleet.queue().pools_of(id);
  out.set("pools", pools ? texts(*pools) : Value());
  add_waiting(out, fleet, job.id, job.waiting_since, now);
  out.set("cure", cure_of(fleet.queue().reason_of(now, id).reason));
  out.set("give_up_at", job.give_up_at ? Value(to_rfc3339(*job.give_up_at)) : Value());
  out.set("candidates", candidates(fleet, id, now));
  return out;
}

}  // namespace fermata::fleet::view
