#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

namespace fermata {

enum class RunStatus : uint8_t {
  running,
  waiting,
  paused,
  completed,
  failed,
  cancelled,
  timed_out
};
std::string_view name_of(RunStatus status);
std::optional<RunStatus> run_status_of(std::string_view name);
constexpr bool is_terminal(RunStatus status) { return status >= RunStatus::completed; }

/// What became of what a run has done that can be undone (J-77).
enum class SagaStatus : uint8_t { none, open, rolling_back, parked, rolled_back, closed };
constexpr SagaStatus last_of(SagaStatus) { return SagaStatus::closed; }
std::string_view name_of(SagaStatus status);
std::optional<SagaStatus> saga_status_of(std::string_view name);

/// What lists, recovery and the alarm need to know of a run without opening it. Written with every
/// commit of the run, in the same row as its version.
struct RunSummary {
  RunId id;
  AccountId account;
  WorkflowId workflow;
  uint32_t workflow_version = 0;
  DefinitionHash definition;
  RunStatus status = RunStatus::running;
  Instant started_at;
  std::optional<Instant> completed_at;
  /// When the run next wants to be looked at; now or earlier when it has work left to do.
  std::optional<Instant> next_due;
  /// Calls under way whose answers the run awaits: recovery asks the run to place them again.
  uint32_t calls_pending = 0;
  uint64_t last_sequence = 0;
  std::string contact_id;
  RunId parent;
  Value labels;            ///< object of texts, or null
  std::string error_code;  ///< of a failed run
  std::string exit_reason;
  /// Hash of the request that started it, to tell a repeat from another use of the same key.
  std::string request_hash;
  RunId origin{};  ///< of a retry, rerun or fork
  /// Those it had before it was migrated, which its history speaks of.
  std::vector<DefinitionHash> former_definitions{};
  SagaStatus saga = SagaStatus::none;

  bool operator==(const RunSummary&) const = default;
};

/// The events of one commit of one run, encoded by core/run/history.h. Sequences count 1, 2, 3 …
struct HistoryChunk {
  uint64_t first_sequence = 0;
  uint32_t count = 0;
  std::string bytes;
  bool operator==(const HistoryChunk&) const = default;
};

/// Who did what, why and when; chained per account by the store.
struct AuditLine {
  AccountId account;
  Instant at;
  std::string actor;    ///< key id, `local` or `engine`
  std::string action;   ///< e.g. `execution.start`
  std::string subject;  ///< e.g. an execution id
  std::string reason;
  Value details;
};

}  // namespace fermata
