#pragma once
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/policy/judge.h"

namespace fermata::policy {

inline Value json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << (value ? "" : value.error().message);
  return value ? *value : Value();
}

/// A base document with these rules.
inline Value base_of(std::string_view rules, std::string_view fallback = "deny",
                     std::string_view more = "") {
  return json(std::string(R"({"version":1,"default_decision":")").append(fallback) +
              "\",\"rules\":[" + std::string(rules) + "]" + std::string(more) + "}");
}

inline PolicyPtr compiled(Sources sources) {
  auto set = PolicySet::compile(std::move(sources));
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return set ? *set : nullptr;
}

inline Facts facts(std::string topic = "job.mail.send", std::string tenant = "acme") {
  Facts facts;
  facts[TextFact::topic] = std::move(topic);
  facts[TextFact::tenant] = std::move(tenant);
  facts[TextFact::priority] = "interactive";
  facts[TextFact::source] = "api";
  facts[TextFact::actor_type] = "service";
  return facts;
}

inline Facts labelled(Facts facts, std::string_view key, std::string_view value) {
  facts.labels.set(key, value);
  return facts;
}

/// What a policy says of jobs, counting those it lets pass.
struct Court {
  PolicyPtr set;
  Windows windows{};
  Instant now{1'700'000'000'000};
  int jobs = 0;

  job::Judged ask(const Facts& of, std::string job = {}) {
    JobId id(job.empty() ? "job-" + std::to_string(++jobs) : job);
    AccountId account(of[TextFact::tenant]);
    job::Judged judged = judge(set->of(account), of, id, windows, now);
    for (const job::VelocityCount& passed : judged.counted) windows.count(passed, id, now);
    return judged;
  }
  job::VerdictKind says(const Facts& of, std::string job = {}) {
    return ask(of, std::move(job)).verdict.kind;
  }
};

}  // namespace fermata::policy
