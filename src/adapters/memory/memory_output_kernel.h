#pragma once
#include "adapters/memory/memory_asked.h"
#include "ports/output_kernel.h"

namespace fermata {

/// A kernel that reads results, in the process.
class MemoryOutputKernel final : public MemoryAsked<OutputKernel, OutputQuestion, OutputAnswer> {
 public:
  void say(job::OutputDecision decision, std::string redacted_sha256 = "") {
    set([decision, redacted_sha256](const OutputQuestion&) {
      OutputAnswer answer;
      answer.kind = OutputAnswer::Kind::verdict;
      answer.verdict.decision = decision;
      answer.verdict.rule_id = "kernel-rule";
      answer.verdict.reason = "the kernel says so";
      answer.kernel_snapshot = "o1";
      answer.redacted_sha256 = redacted_sha256;
      return answer;
    });
  }
};

}  // namespace fermata
