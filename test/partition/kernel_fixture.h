#pragma once
#include "adapters/memory/memory_counters.h"
#include "adapters/memory/memory_kernel.h"
#include "test/partition/jobs_fixture.h"

namespace fermata {

/// Jobs that a policy kernel judges, turn by turn.
using job::Phase;
using job::State;
using job::VerdictKind;

inline policy::PolicyPtr rules(std::string_view base, std::string_view invariants = "") {
  policy::Sources sources;
  if (!base.empty()) sources.base = *parse_json(base);
  if (!invariants.empty()) sources.invariants = *parse_json(invariants);
  auto set = policy::PolicySet::compile(std::move(sources));
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return *set;
}

constexpr std::string_view allow_all =
    R"({"version":1,"default_decision":"allow","input_policy":{"fail_mode":"closed"}})";
constexpr std::string_view never_bad =
    R"({"version":1,"rules":[{"id":"never","match":{"topics":["job.bad"]},"decision":"deny"}]})";

class KernelTest : public JobsTest {
 protected:
  KernelTest() {
    settings.policy.mode = PolicyMode::kernel;
    kernel = &memory_kernel;
    counters = &memory_counters;
  }
  void set_policy(policy::PolicyPtr set) {
    with([set](Workers& workers) { workers.set_policy(set); });
  }
  /// Until the kernel has been heard.
  void settle_all() {
    do {
      settle();
    } while (memory_kernel.unheard());
  }
  void pass(int64_t ms) {
    clock.set(clock.now() + Duration{ms});
    settle_all();
  }
  BreakerView breaker() {
    BreakerView seen;
    with([&seen](Workers& workers) { seen = workers.breakers().at(0); });
    settle_all();
    return seen;
  }
  size_t in_state(State state, Phase phase, int jobs) {
    size_t found = 0;
    for (int i = 0; i < jobs; ++i) {
      job::Job one = job("j" + std::to_string(i));
      if (one.state == state && one.phase == phase) ++found;
    }
    return found;
  }
  std::vector<std::string> decisions(const std::string& id) {
    std::vector<std::string> sources;
    auto page = store.memory.decisions({.job = JobId(id)}, 10, "");
    for (const auto& line : page->items)
      sources.push_back(std::string(name_of(line.decision)) + " " + line.source);
    return sources;
  }
  size_t audited(const std::string& action) {
    size_t found = 0;
    auto page = store.memory.audit({.account = AccountId("acme")}, 1'000, "");
    for (const auto& entry : page->items)
      if (entry.line.action == action) ++found;
    return found;
  }
  void approve(const std::string& id) {
    job::ApproveJob vote;
    vote.hash = job(id).approval->request_hash;
    vote.voter = {"ann", "operator", false};
    order(id, std::move(vote));
  }

  MemoryKernel memory_kernel;
  MemoryCounters memory_counters{clock};
};

}  // namespace fermata
