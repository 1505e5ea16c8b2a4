#pragma once
#include <compare>
#include <string>
#include <vector>

#include "core/job/command.h"
#include "core/policy/policy_set.h"

namespace fermata {

/// Names a scan: the same work again has the same ticket.
struct ScanTicket {
  JobId job;
  uint64_t fence = 0;  ///< 0: of its input
  uint32_t tries = 0;  ///< that failed before; of an input its revision
  std::string snapshot;
  auto operator<=>(const ScanTicket&) const = default;
};

/// A held result, or an input, that is to be read under a policy.
struct ScanWork {
  ScanTicket ticket;
  AccountId account;
  policy::PolicyPtr policy;  ///< null: there is none
  policy::OutputFacts facts;
  std::string sha256;  ///< of the output
  std::vector<job::Artifact> artifacts{};
  bool read_only = false;  ///< it passes whatever it is: only its bytes are wanted
  /// Of an input: what is looked for in it.
  job::Payload input{};
  std::vector<policy::Content> wanted{};
};

struct ScanAnswer {
  ScanTicket ticket;
  std::variant<job::JudgeOutput, job::NoteContent> said;
};

/// Reads the content of results and inputs, off the engine's thread (J-45). As Calls: two queues;
/// an answer may come late, twice or never, and what was submitted is forgotten when the process
/// ends.
class Scans {
 public:
  virtual ~Scans() = default;
  virtual void submit(ScanWork work) = 0;
  virtual std::vector<ScanAnswer> harvest() = 0;
  virtual bool holds(const ScanTicket& ticket) const = 0;
  /// That no harvest has brought home yet.
  virtual size_t in_flight() const = 0;
  /// At once and from any thread, for texts that are small: the error of a failed attempt or a line
  /// of its log, as far as it may be read.
  virtual Value cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                        const Value& error) = 0;
};

}  // namespace fermata
