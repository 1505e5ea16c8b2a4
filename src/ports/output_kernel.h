#pragma once
#include <string>
#include <vector>

#include "core/job/job.h"

namespace fermata {

/// What somebody outside is asked before a result may be used (jobs.md §3.2, §5).
struct OutputQuestion {
  uint64_t ticket = 0;  ///< of the answer; never used twice in one life of the process
  JobId job{};
  AccountId account{};
  job::Request request{};
  WorkerId worker{};
  int64_t execution_ms = 0;
  uint64_t bytes = 0;    ///< of the output as it would be released
  std::string sha256{};  ///< the same
  /// The output as JSON, where it is small enough to be sent.
  std::string content{};
  std::vector<job::Artifact> artifacts{};
  int64_t timeout_ms = 2'000;
  /// Of the breaker's episode that it probes; 0: it is no probe.
  int64_t probe_of = 0;
};

/// An output above this size is told by its size and hash alone.
constexpr uint64_t output_content_bytes_max = 2 << 20;

struct OutputAnswer {
  enum class Kind : uint8_t {
    verdict,
    unknown,  ///< it has answered, and nobody here knows what that means
    failed,   ///< no answer in time, or none at all
  };
  uint64_t ticket = 0;
  Kind kind = Kind::failed;
  /// Decision, rule, reason and findings.
  job::OutputVerdict verdict{};
  std::string kernel_snapshot{};
  /// Of a decision to redact: SHA-256 of the blob that may be read instead; empty: it names none.
  std::string redacted_sha256{};
  std::string reason{};  ///< of a failure, or what was not understood
};

/// A kernel that reads results, as two queues. An answer may come late, twice or never; what was
/// submitted is forgotten when the process ends. Used by one thread.
class OutputKernel {
 public:
  virtual ~OutputKernel() = default;
  virtual void submit(OutputQuestion question) = 0;
  /// Answers that have come since the last harvest.
  virtual std::vector<OutputAnswer> harvest() = 0;
};

}  // namespace fermata
