#pragma once
#include <optional>
#include <string>

#include "core/model/wait.h"

/// Events that end waits and runs from the outside, or fail to.
namespace fermata {

/// A wait that parks no token has ended.
struct WaitEnded {
  std::string wait;
  WaitStatus status = WaitStatus::resumed;
  std::string resumed_by;
  std::string reason;
  std::string signal_id;
  Value outcome;
  std::string by;
  template <class V> void each(V&& v) {
    v("wait_id", wait); v("status", status); v("resumed_by", resumed_by); v("reason", reason);
    v("signal_id", signal_id); v("outcome", outcome); v("by", by);
  }
};
/// Why a run that was ended by a goal has ended.
inline constexpr const char* goal_achieved = "goal_achieved";
/// A signal has reached a goal of the workflow; with the last one that is needed the run ends.
struct GoalAchieved {
  std::string goal;
  std::string signal_id;
  bool ends = false;
  template <class V> void each(V&& v) {
    v("goal_id", goal); v("signal_id", signal_id); v("ends", ends);
  }
};
/// Why a run failed whose wait could not be resumed.
inline constexpr const char* wait_resume_failed = "wait_resume_failed";
/// A resume could not be carried out, though the store was there (W-66). It is tried again at
/// `retry_at`; without one the wait is over.
struct ResumeFailed {
  std::string wait;
  uint32_t attempt = 0;  ///< that failed: 1, 2, …
  std::string error;
  std::optional<Instant> retry_at;
  template <class V> void each(V&& v) {
    v("wait_id", wait); v("attempt", attempt); v("error", error); v("retry_at", retry_at);
  }
};

}  // namespace fermata
