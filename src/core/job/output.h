#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/job/report.h"

/// What policy makes of results (jobs.md §5), as far as a job knows of it.
namespace fermata::job {

enum class OutputDecision : uint8_t { allow, quarantine, deny, redact };
constexpr OutputDecision last_of(OutputDecision) { return OutputDecision::redact; }
std::string_view name_of(OutputDecision decision);

enum class Severity : uint8_t { low, medium, high, critical };
constexpr Severity last_of(Severity) { return Severity::critical; }
std::string_view name_of(Severity severity);

constexpr size_t findings_kept_max = 100;

/// Where something was found, never what (J-49).
struct OutputFinding {
  static constexpr bool extensible = true;
  std::string scanner;
  std::string type;
  Severity severity = Severity::medium;
  uint32_t confidence = 0;  ///< in percent
  std::string pointer;      ///< into the output (RFC 6901)
  std::string artifact;     ///< or its name
  uint64_t offset = 0;      ///< in bytes of the text or of the artifact
  uint64_t length = 0;
  bool operator==(const OutputFinding&) const = default;
  template <class V> void each(V&& v) {
    v("scanner", scanner); v("type", type); v("severity", severity); v("confidence", confidence);
    v("pointer", pointer); v("artifact", artifact); v("offset", offset); v("length", length);
  }
};

/// What is known of a result without reading it.
struct ResultSize {
  uint64_t output_bytes = 0;
  uint64_t artifact_bytes = 0;
  size_t artifacts = 0;
  bool has_error = false;
};

/// What follows from that.
struct OutputPlan {
  enum class Step : uint8_t {
    pass,
    refuse,  ///< a rule decides without reading
    scan,    ///< it has to be read
  };
  Step step = Step::pass;
  bool optimistic = false;  ///< what is scanned may be used meanwhile
  bool fail_open = false;   ///< what cannot be scanned passes
  OutputDecision decision = OutputDecision::allow;
  std::string rule_id{};
  std::string reason{};
  Severity severity = Severity::medium;
};

/// What a scan, or a rule without one, has said of a result.
struct OutputVerdict {
  static constexpr bool extensible = true;
  OutputDecision decision = OutputDecision::allow;
  std::string rule_id{};
  std::string reason{};
  Severity severity = Severity::medium;
  std::string snapshot{};
  std::vector<OutputFinding> findings{};  ///< findings_kept_max at most
  uint64_t found = 0;                     ///< all of them
  std::string original_sha256{};          ///< of an output that was redacted
  bool original_kept = false;             ///< for admins
  bool unscanned = false;                 ///< it passed because it could not be scanned
  uint64_t micros = 0;
  bool operator==(const OutputVerdict&) const = default;
  template <class V> void each(V&& v) {
    v("decision", decision); v("rule_id", rule_id); v("reason", reason); v("severity", severity);
    v("snapshot", snapshot); v("findings", findings); v("found", found);
    v("original_sha256", original_sha256); v("original_kept", original_kept);
    v("unscanned", unscanned); v("micros", micros);
  }
};

/// A result that is not, or not yet, for everybody. Its output stands in a row of its own beside
/// the job (KeepHeld), so that it can be taken away without a trace; a history never forgets.
struct HeldOutput {
  static constexpr bool extensible = true;
  uint64_t fence = 0;
  std::string sha256;  ///< of the output as canonical JSON
  uint64_t bytes = 0;
  std::vector<Artifact> artifacts{};
  std::string uploaded{};  ///< SHA-256 of the bytes that the worker had put the output in
  std::string snapshot{};  ///< of the policy that asks for the scan; empty: none is due
  bool optimistic = false;
  bool fail_open = false;
  uint32_t tries = 0;                   ///< scans that failed
  std::optional<Instant> scan_at{};     ///< when the next one begins
  std::optional<Instant> scan_until{};  ///< when the one under way is given up
  std::optional<Instant> begun_at{};    ///< when that one began
  bool operator==(const HeldOutput&) const = default;
  template <class V> void each(V&& v) {
    v("fence", fence); v("sha256", sha256); v("bytes", bytes); v("artifacts", artifacts);
    v("uploaded", uploaded); v("snapshot", snapshot); v("optimistic", optimistic);
    v("fail_open", fail_open); v("tries", tries); v("scan_at", scan_at);
    v("scan_until", scan_until); v("begun_at", begun_at);
  }
};

}  // namespace fermata::job
