#include "adapters/yaml/yaml_text.h"
#include "base/check.h"
#include "core/policy/judge.h"

/// Any bytes as a policy: refused with places, or compiled and asked. Nothing may crash, and a
/// document that is taken decides the same twice.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto read = read_yaml(text);
  if (!read) {
    check(!read.error().findings.empty());
    return 0;
  }
  for (auto kind : {policy::DocumentKind::base, policy::DocumentKind::bundle,
                    policy::DocumentKind::invariants}) {
    auto reading = policy::read_document(read->value, kind);
    policy::locate(reading.findings, *read);
    for (const Finding& finding : reading.findings) check(finding.line > 0 && finding.column > 0);
  }
  policy::Sources sources;
  sources.base = read->value;
  auto set = policy::PolicySet::compile(std::move(sources));
  if (!set) return 0;
  policy::Facts facts;
  facts[policy::TextFact::topic] = "job.mail.send";
  facts[policy::TextFact::tenant] = "acme";
  policy::Windows windows;
  const policy::AccountPolicy& policy = (*set)->common();
  auto first = policy::judge(policy, facts, JobId("a"), windows, Instant{1'000});
  auto second = policy::judge(policy, facts, JobId("a"), windows, Instant{1'000});
  check(first.verdict == second.verdict && first.counted == second.counted);
  (void)policy::explain(policy, facts, JobId("a"), windows, Instant{1'000});
  return 0;
}
