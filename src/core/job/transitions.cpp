#include "core/job/transitions.h"

#include <array>

namespace fermata::job {

namespace {

constexpr auto table = std::to_array<Move>({
#define FERMATA_JOB_MOVE(from, cause, to, dead_letter) \
  {State::from, Cause::cause, State::to, dead_letter},
#include "core/job/transitions.def"
#undef FERMATA_JOB_MOVE
});

constexpr size_t states = static_cast<size_t>(last_of(State{})) + 1;
constexpr size_t causes = static_cast<size_t>(last_of(Cause{})) + 1;

/// Rows by state and cause, so that looking one up costs nothing.
constexpr auto index = [] {
  std::array<std::array<uint8_t, causes>, states> rows{};
  for (size_t i = 0; i < table.size(); ++i)
    rows[static_cast<size_t>(table[i].from)][static_cast<size_t>(table[i].cause)] =
        static_cast<uint8_t>(i + 1);
  return rows;
}();
static_assert(table.size() < 255);

constexpr auto cause_names = std::to_array<std::string_view>({"submit",
                                                              "allow",
                                                              "require_approval",
                                                              "deny",
                                                              "postpone",
                                                              "approve",
                                                              "pass_gate",
                                                              "reject",
                                                              "approval_expiry",
                                                              "amend",
                                                              "place",
                                                              "give_up",
                                                              "queue_timeout",
                                                              "sign_of_life",
                                                              "succeed",
                                                              "hold_output",
                                                              "quarantine",
                                                              "attempt_again",
                                                              "attempts_failed",
                                                              "attempts_timed_out",
                                                              "fail_fatally",
                                                              "backoff_over",
                                                              "cancel",
                                                              "deadline",
                                                              "withdraw_output",
                                                              "release_output"});
static_assert(cause_names.size() == causes);

}  // namespace

std::string_view name_of(Cause cause) { return cause_names[static_cast<size_t>(cause)]; }

std::span<const Move> moves() { return table; }

const Move* find_move(State from, Cause cause) {
  uint8_t row = index[static_cast<size_t>(from)][static_cast<size_t>(cause)];
  return row == 0 ? nullptr : &table[row - 1u];
}

Outcome<Move> permit(State from, Cause cause) {
  if (const Move* move = find_move(from, cause)) return *move;
  return fail(ErrorCode::wrong_state, "`" + std::string(name_of(cause)) +
                                          "` means nothing for a job that is " +
                                          std::string(name_of(from)));
}

}  // namespace fermata::job
