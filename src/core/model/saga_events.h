#pragma once
#include <string>
#include <vector>

#include "core/model/saga.h"

/// What happens to the saga of a run, as its history tells it.
namespace fermata {

/// Work was done that can be undone (J-71).
struct SagaRecorded {
  SagaEntry entry;
  template <class V>
  void each(V&& v) {
    v("entry", entry);
  }
};
/// The run is to be undone, as soon as it has come to rest.
struct RollbackRequested {
  std::string trigger;
  std::string reason;
  std::string by;
  template <class V>
  void each(V&& v) {
    v("trigger", trigger);
    v("reason", reason);
    v("by", by);
  }
};
/// Nothing of the run goes on; the entries are worked off, last first, then it ends as said.
struct RollbackStarted {
  std::string trigger;
  std::string by;
  RunEnding ending;
  std::vector<JobId> stopped;  ///< whose workers are waited for
  template <class V>
  void each(V&& v) {
    v("trigger", trigger);
    v("by", by);
    v("ending", ending);
    v("stopped", stopped);
  }
};
/// A stopped job has answered: its worker has let go, or has until then.
struct StopAnswered {
  JobId job;
  std::optional<Instant> until;
  template <class V>
  void each(V&& v) {
    v("job_id", job);
    v("until", until);
  }
};
struct UndoSubmitted {
  uint32_t seq = 0;
  JobId job;
  uint32_t attempt = 0;
  template <class V>
  void each(V&& v) {
    v("seq", seq);
    v("comp_job_id", job);
    v("attempt", attempt);
  }
};
/// The entry is done, parked until somebody decides, or skipped.
struct UndoEnded {
  uint32_t seq = 0;
  UndoStatus status = UndoStatus::done;
  std::string reason_code;
  std::string reason;
  std::string by;
  template <class V>
  void each(V&& v) {
    v("seq", seq);
    v("status", status);
    v("reason_code", reason_code);
    v("reason", reason);
    v("by", by);
  }
};
/// A parked entry is tried again.
struct UndoResumed {
  uint32_t seq = 0;
  std::string by;
  template <class V>
  void each(V&& v) {
    v("seq", seq);
    v("by", by);
  }
};
/// Everything is undone; the run's end follows in the same commit.
struct RollbackEnded {
  template <class V>
  void each(V&&) {}
};
/// A job outside a run has become part of the saga, or has ended as such (J-76).
struct SagaJoined {
  JobId job;
  bool ended = false;
  std::optional<Instant> idle_until;  ///< when the saga ends by itself, should no other job come
  template <class V>
  void each(V&& v) {
    v("job_id", job);
    v("ended", ended);
    v("idle_until", idle_until);
  }
};
/// An output that the run has taken was refused since; it may come after the run's end.
struct JobOutputWithdrawn {
  JobId job;
  std::string step;
  std::string reason;
  template <class V> void each(V&& v) {
    v("job_id", job); v("step", step); v("reason", reason);
  }
};

}  // namespace fermata
