#pragma once
#include "core/job/summary.h"
#include "core/model/effect.h"
#include "core/model/summary.h"
#include "core/schedule/schedule.h"

namespace fermata {

struct Run;

/// Told of every commit after it is durable, in the order of commits, on the partition's thread.
/// Must not block and cannot fail: live streams, waiting callers and counters hang on it.
class Feed {
 public:
  virtual ~Feed() = default;
  virtual void committed(const RunSummary& summary, const HistoryChunk& events) = 0;
  /// The state in memory that this commit left; for those who hold it against the history.
  virtual void settled(const Run& /*state*/) {}
  /// The same of jobs.
  virtual void job_committed(const job::Summary&, const HistoryChunk& /*events*/) {}
  virtual void job_settled(const job::Job& /*state*/) {}
  /// The same of schedules.
  virtual void schedule_committed(const schedule::ScheduleSummary&,
                                  const HistoryChunk& /*events*/) {}
  virtual void schedule_settled(const schedule::Schedule& /*state*/) {}
  /// A line of a `log` node.
  virtual void logged(const WriteLog& /*line*/) {}
};

}  // namespace fermata
