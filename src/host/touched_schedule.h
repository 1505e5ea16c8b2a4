#pragma once
#include <optional>
#include <vector>

#include "core/schedule/decide.h"
#include "host/groups.h"
#include "host/schedule_cache.h"
#include "host/schedule_intake.h"

/// What travels through a partition of schedules; the counterpart of touched.h.
namespace fermata {

struct ScheduleItem {
  schedule::Command command;
  ScheduleReply reply{};  ///< empty for the engine's own commands
  uint32_t tries = 0;     ///< commits that conflicted
  bool posted = false;
};

struct DecidedScheduleItem {
  ScheduleItem item;
  std::optional<Error> refusal{};  ///< empty when it was accepted
  bool changed = false;
};

/// What was decided about one schedule and is not durable yet.
struct TouchedSchedule {
  OpenSchedule* open = nullptr;
  Groups::Member group = 0;
  std::vector<schedule::Event> events{};
  std::vector<DecidedScheduleItem> items{};
};

/// A command that a decision of this turn addresses to a schedule.
struct PostedSchedule {
  ScheduleItem item;
  Groups::Member group = 0;  ///< of the sender
};

}  // namespace fermata
