#include "core/job/words.h"

#include <array>

namespace fermata::job {

namespace {

template <class E, size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, E value) {
  auto position = static_cast<size_t>(value);
  return position < N ? names[position] : std::string_view();
}

template <class E, size_t N>
std::optional<E> word_in(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name && !name.empty()) return static_cast<E>(i);
  return std::nullopt;
}

bool same_letters(std::string_view capitals, std::string_view text) {
  if (capitals.size() != text.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c != capitals[i]) return false;
  }
  return true;
}

constexpr auto state_names = std::to_array<std::string_view>({
#define FERMATA_JOB_STATE(name, text) text,
#include "core/job/words.def"
});
constexpr auto phase_names = std::to_array<std::string_view>({
#define FERMATA_JOB_PHASE(name) #name,
#include "core/job/words.def"
});
constexpr auto priority_names = std::to_array<std::string_view>({
#define FERMATA_JOB_PRIORITY(name) #name,
#include "core/job/words.def"
});
constexpr auto outcome_names = std::to_array<std::string_view>({
#define FERMATA_JOB_ATTEMPT_OUTCOME(name) #name,
#include "core/job/words.def"
});
constexpr auto answer_names = std::to_array<std::string_view>({
#define FERMATA_JOB_ANSWER(name) #name,
#include "core/job/words.def"
});
constexpr auto verdict_names = std::to_array<std::string_view>({
#define FERMATA_JOB_VERDICT(name) #name,
#include "core/job/words.def"
});
constexpr auto source_names = std::to_array<std::string_view>({
#define FERMATA_JOB_SOURCE(name) #name,
#include "core/job/words.def"
});

}  // namespace

std::string_view name_of(State state) { return name_in(state_names, state); }
std::string_view name_of(Phase phase) {
  return phase == Phase::none ? std::string_view() : name_in(phase_names, phase);
}
std::string_view name_of(Priority priority) { return name_in(priority_names, priority); }
std::string_view name_of(AttemptOutcome outcome) { return name_in(outcome_names, outcome); }
std::string_view name_of(Answer answer) { return name_in(answer_names, answer); }
std::string_view name_of(VerdictKind verdict) { return name_in(verdict_names, verdict); }
std::string_view name_of(Source source) { return name_in(source_names, source); }

std::optional<State> state_of(std::string_view name) {
  for (size_t i = 1; i < state_names.size(); ++i)
    if (same_letters(state_names[i], name)) return static_cast<State>(i);
  return std::nullopt;
}

std::optional<Priority> priority_of(std::string_view name) {
  return word_in<Priority>(priority_names, name);
}

std::optional<AttemptOutcome> report_status_of(std::string_view name) {
  auto outcome = word_in<AttemptOutcome>(outcome_names, name);
  if (!outcome) return std::nullopt;
  switch (*outcome) {
    case AttemptOutcome::succeeded:
    case AttemptOutcome::failed:
    case AttemptOutcome::failed_retryable:
    case AttemptOutcome::failed_fatal:
    case AttemptOutcome::cancelled: return outcome;
    case AttemptOutcome::timeout:
    case AttemptOutcome::lost:
    case AttemptOutcome::declined:
    case AttemptOutcome::undelivered: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace fermata::job
