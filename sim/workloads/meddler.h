#pragma once
#include <set>

#include "sim/world.h"

namespace fermata::sim {

/// Pauses runs at odd moments and sees to it that none stays paused: a pause that was repeated may
/// be carried out after the resume it was meant to come before.
class Meddler {
 public:
  /// Sends up to `pauses` pauses for the run over the next so many milliseconds.
  void pause(World& world, const RunId& run, int64_t pauses, int64_t within_ms);
  /// Sends the command within the next minute.
  static void send(World& world, const RunId& run, CommandBody body);
  /// Now and then resumes, cancels, holds and releases what the run waits for at that step.
  static void touch_wait(World& world, const RunId& run, const std::string& step);
  /// After every turn: resumes what is paused.
  void watch(World& world);

 private:
  std::set<RunId> resuming_;
};

}  // namespace fermata::sim
