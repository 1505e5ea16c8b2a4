#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "core/job/effect.h"

namespace fermata::policy {

/// The sliding windows of velocity rules (J-20): which jobs a rule has let pass, and when. A job
/// that passes counts once however often it is judged; one that is held back does not count, so a
/// window holds no more than its rule allows. Memory of the host, rebuilt from the decision log.
class Windows {
 public:
  /// True when `job` would be one too many in the window of `key` that ends now.
  bool exceeds(const std::string& key, uint64_t max_requests, int64_t window_ms, const JobId& job,
               Instant now) const;
  /// The job has passed at `at`; it stays counted if it is in the window already.
  void count(const job::VelocityCount& passed, const JobId& job, Instant at);
  /// What was counted at `at` did not happen.
  void uncount(const job::VelocityCount& passed, const JobId& job, Instant at);
  /// Lets go of what no window reaches any more.
  void prune(Instant now);

  /// Rules cannot rely on windows that could not be read: they ask a person (J-20).
  bool readable() const { return readable_; }
  void set_readable(bool readable) { readable_ = readable; }

  struct Shown {
    std::string key;
    int64_t window_ms = 0;
    size_t jobs = 0;
    Instant oldest;
  };
  /// Those that begin with `prefix`, at most `limit`.
  std::vector<Shown> shown(const std::string& prefix, Instant now, size_t limit) const;
  size_t size() const { return windows_.size(); }

 private:
  struct Entry {
    Instant at;
    JobId job;
  };
  struct Window {
    int64_t window_ms = 0;
    std::deque<Entry> entries;  ///< by time
    std::map<JobId, Instant> members;
  };
  static void drop_old(Window& window, Instant now);

  std::map<std::string, Window> windows_;
  Instant last_prune_{0};
  bool readable_ = true;
};

}  // namespace fermata::policy
