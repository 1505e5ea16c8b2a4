#pragma once
#include <string>
#include <vector>

#include "core/job/job.h"

namespace fermata {

/// What somebody outside is asked before a job may run (jobs.md §3.2).
struct PolicyQuestion {
  uint64_t ticket = 0;  ///< of the answer; never used twice in one life of the process
  JobId job{};
  AccountId account{};
  job::Request request{};
  /// The input as JSON, where it is small enough to be sent.
  std::string content{};
  int64_t timeout_ms = 2'000;
  /// Of the breaker's episode that it probes; 0: it is no probe.
  int64_t probe_of = 0;
};

/// An input above this size is told by its size alone.
constexpr uint64_t question_content_bytes_max = 2 << 20;

struct PolicyAnswer {
  enum class Kind : uint8_t {
    verdict,
    unknown,  ///< it has answered, and nobody here knows what that means (J-30)
    failed,   ///< no answer in time, or none at all
  };
  uint64_t ticket = 0;
  Kind kind = Kind::failed;
  /// With the snapshot it names as `kernel_snapshot`.
  job::Verdict verdict{};
  std::string reason{};  ///< of a failure, or what was not understood
};

/// A policy kernel as two queues. An answer may come late, twice or never; what was submitted is
/// forgotten when the process ends. Used by one thread.
class PolicyKernel {
 public:
  virtual ~PolicyKernel() = default;
  virtual void submit(PolicyQuestion question) = 0;
  /// Answers that have come since the last harvest.
  virtual std::vector<PolicyAnswer> harvest() = 0;
};

}  // namespace fermata
