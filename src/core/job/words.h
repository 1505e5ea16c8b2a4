#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

/// The words of a job (words.def): each enumeration with its names.
namespace fermata::job {

/// Where a job stands (jobs.md §2). `none`: there is no such job yet.
enum class State : uint8_t {
#define FERMATA_JOB_STATE(name, text) name,
#include "core/job/words.def"
};
constexpr State last_of(State) { return State::output_quarantined; }
constexpr bool is_terminal(State state) { return state >= State::succeeded; }
/// In capitals, as JSON shows it.
std::string_view name_of(State state);
/// In either case.
std::optional<State> state_of(std::string_view name);

/// Why a job stands where it does.
enum class Phase : uint8_t {
#define FERMATA_JOB_PHASE(name) name,
#include "core/job/words.def"
};
constexpr Phase last_of(Phase) { return Phase::output_scan; }
std::string_view name_of(Phase phase);  ///< empty for `none`

/// In the order they are served.
enum class Priority : uint8_t {
#define FERMATA_JOB_PRIORITY(name) name,
#include "core/job/words.def"
};
constexpr Priority last_of(Priority) { return Priority::batch; }
std::string_view name_of(Priority priority);
std::optional<Priority> priority_of(std::string_view name);

/// How an attempt ended (J-11).
enum class AttemptOutcome : uint8_t {
#define FERMATA_JOB_ATTEMPT_OUTCOME(name) name,
#include "core/job/words.def"
};
constexpr AttemptOutcome last_of(AttemptOutcome) { return AttemptOutcome::cancelled; }
std::string_view name_of(AttemptOutcome outcome);
/// What a worker may report: succeeded, failed, failed_retryable, failed_fatal or cancelled.
std::optional<AttemptOutcome> report_status_of(std::string_view name);

/// What a worker is told about its message (J-12).
enum class Answer : uint8_t {
#define FERMATA_JOB_ANSWER(name) name,
#include "core/job/words.def"
};
std::string_view name_of(Answer answer);

/// What policy says, mildest first (J-20); `unavailable` is no answer in time.
enum class VerdictKind : uint8_t {
#define FERMATA_JOB_VERDICT(name) name,
#include "core/job/words.def"
};
constexpr VerdictKind last_of(VerdictKind) { return VerdictKind::unavailable; }
std::string_view name_of(VerdictKind verdict);

/// Which way a job came in.
enum class Source : uint8_t {
#define FERMATA_JOB_SOURCE(name) name,
#include "core/job/words.def"
};
constexpr Source last_of(Source) { return Source::compensation; }
std::string_view name_of(Source source);

}  // namespace fermata::job
