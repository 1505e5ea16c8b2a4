#include "core/model/summary.h"

#include <array>

namespace fermata {
namespace {

constexpr std::array<std::string_view, 7> status_names = {
    "running", "waiting", "paused", "completed", "failed", "cancelled", "timed_out"};

}  // namespace

std::string_view name_of(RunStatus status) { return status_names.at(static_cast<size_t>(status)); }

std::optional<RunStatus> run_status_of(std::string_view name) {
  for (size_t i = 0; i < status_names.size(); ++i) {
    if (status_names[i] == name) return static_cast<RunStatus>(i);
  }
  return std::nullopt;
}

}  // namespace fermata
