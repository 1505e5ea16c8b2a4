#include "base/json.h"
#include "bench/jobs.h"
#include "bench/served.h"
#include "core/policy/judge.h"

/// (g) What a decision of the built-in rules costs (J-96), and the rules that the other parts are
/// measured under (J-95).
namespace fermata::bench {

namespace {

/// Rules of every shape, most of which look at the job and go on: by topic, label, tag and size.
/// The last lets `job.noop` pass within bounds.
Value rules(size_t count) {
  Value list = Value::array();
  for (size_t i = 0; i + 1 < count; ++i) {
    std::string n = std::to_string(i);
    Value match = Value::object();
    switch (i % 5) {
      case 0: match.set("topics", Value::array({"job.team" + n + ".*", "job.*.desk" + n})); break;
      case 1:
        match.set("topics", Value::array({"job.*"}));
        match.set("labels", Value::object({{"tier", "gold-" + n + "*"}}));
        break;
      case 2: match.set("risk_tags", Value::array({"tag" + n, "money"})); break;
      case 3:
        match.set("topics", Value::array({"job.no*"}));
        match.set("input_size_gt", 1'000'000 + static_cast<int64_t>(i));
        break;
      default:
        match.set("topics", Value::array({"job.noop"}));
        match.set("not", Value::object({{"priorities", Value::array({"interactive"})}}));
    }
    list.push(Value::object({{"id", "r" + n}, {"match", match}, {"decision", "deny"}}));
  }
  Value bounds = Value::object({{"budgets", Value::object({{"max_runtime_ms", 60'000}})}});
  list.push(Value::object({{"id", "last"},
                           {"match", Value::object({{"topics", Value::array({"job.noop"})}})},
                           {"decision", "allow_with_constraints"},
                           {"constraints", bounds}}));
  return list;
}

}  // namespace

policy::PolicyPtr policy_of(size_t count) {
  policy::Sources sources;
  sources.base =
      Value::object({{"version", 1}, {"default_decision", "deny"}, {"rules", rules(count)}});
  auto set = policy::PolicySet::compile(std::move(sources));
  if (!set) std::exit(5);
  return *set;
}

void govern(Engine& engine) {
  std::atomic<bool> done{false};
  bool taken = engine.host().with_workers([&](Workers& workers) {
    workers.set_policy(policy_of(50));
    done = true;
  });
  if (!taken) std::exit(5);
  while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void measure_decisions() {
  constexpr int decisions = 200'000;
  section("(g) a decision of the built-in rules, 200 rules, the last of which decides");
  policy::PolicyPtr set = policy_of(200);
  policy::Windows windows;
  policy::Facts facts;
  facts[policy::TextFact::tenant] = "default";
  facts[policy::TextFact::topic] = "job.noop";
  facts[policy::TextFact::priority] = "interactive";
  facts[policy::TextFact::source] = "api";
  facts[policy::TextFact::actor_type] = "service";
  facts.labels = Value::object({{"tier", "silver"}, {"region", "eu"}});
  facts.risk_tags = {"pii"};
  std::vector<double> micros;
  micros.reserve(decisions);
  JobId job("job");
  for (int i = 0; i < decisions; ++i) {
    auto begin = std::chrono::steady_clock::now();
    job::Judged judged =
        policy::judge(set->common(), facts, job, windows, Instant{1'700'000'000'000});
    micros.push_back(seconds_since(begin) * 1e6);
    if (judged.verdict.rule_id != "last") std::exit(5);
  }
  report("p50", percentile(micros, 0.5), "us");
  double p99 = percentile(micros, 0.99);
  report("p99", p99, "us");
  floor_at_most("(g) p99 of a decision at 200 rules (J-96)", p99, 100);
}

}  // namespace fermata::bench
