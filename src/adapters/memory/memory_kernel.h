#pragma once
#include "adapters/memory/memory_asked.h"
#include "ports/policy_kernel.h"

namespace fermata {

/// A policy kernel in the process.
class MemoryKernel final : public MemoryAsked<PolicyKernel, PolicyQuestion, PolicyAnswer> {
 public:
  /// Always the same decision, under the snapshot.
  void say(job::VerdictKind kind, std::string snapshot = "k1") {
    set([kind, snapshot](const PolicyQuestion&) {
      PolicyAnswer answer;
      answer.kind = PolicyAnswer::Kind::verdict;
      answer.verdict.kind = kind;
      answer.verdict.kernel_snapshot = snapshot;
      answer.verdict.rule_id = "kernel-rule";
      answer.verdict.reason = "the kernel says so";
      return answer;
    });
  }
};

}  // namespace fermata
