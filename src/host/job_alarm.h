#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace fermata {

/// When jobs want to be looked at: deadlines, timeouts, backoffs. At most one entry per job,
/// rebuilt from the rows at start. Used by one thread.
class JobAlarm {
 public:
  void set(const JobId& job, std::optional<Instant> due) {
    if (auto found = by_job_.find(job); found != by_job_.end()) {
      if (due == found->second) return;
      by_time_.erase({found->second, job});
      by_job_.erase(found);
    }
    if (!due) return;
    by_job_.emplace(job, *due);
    by_time_.insert({*due, job});
  }
  /// Takes up to `most` that are due, earliest first.
  std::vector<JobId> due(Instant now, size_t most) {
    std::vector<JobId> out;
    while (out.size() < most && !by_time_.empty() && by_time_.begin()->first <= now) {
      out.push_back(by_time_.begin()->second);
      by_job_.erase(out.back());
      by_time_.erase(by_time_.begin());
    }
    return out;
  }
  std::optional<Instant> next() const {
    if (by_time_.empty()) return std::nullopt;
    return by_time_.begin()->first;
  }
  size_t size() const { return by_time_.size(); }

 private:
  std::set<std::pair<Instant, JobId>> by_time_;
  std::map<JobId, Instant> by_job_;
};

}  // namespace fermata
