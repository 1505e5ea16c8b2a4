#pragma once
#include <deque>
#include <functional>
#include <map>

#include "host/guarded_calls.h"
#include "host/touched_job.h"
#include "ports/job_files.h"
#include "ports/policy_kernel.h"

namespace fermata {

/// Who judges jobs before they run (jobs.md §3.2); settings `policy…`.
enum class PolicyMode : uint8_t { rules, kernel, both };
/// `rules`, `kernel`, `both`
std::string_view name_of(PolicyMode mode);
struct PolicySettings {
  PolicyMode mode = PolicyMode::rules;
  /// By flag or environment, over what the policy file says.
  std::optional<job::FailMode> fail_mode{};
  int64_t kernel_timeout_ms = 2'000;
  size_t kernel_calls_max = 64;  ///< under way together
};

/// The desk of the policy kernel: which jobs wait for its word, the questions under way, and the
/// breaker before them. It stores nothing: what a crash takes away is asked again, because the job
/// is still PENDING. Used by the partition's thread alone.
class KernelDesk {
 public:
  KernelDesk(PolicyKernel* kernel, Counters* counters, JobFiles* files,
             const PolicySettings& settings);

  /// False: there is no kernel.
  bool on() const { return kernel_ != nullptr; }
  /// A verdict about this revision of the job, or a later one, is wanted. `first`: before those
  /// that wait already.
  void ask(const JobId& job, uint32_t revision, bool first = false);
  /// The command can be decided only with the kernel's word (J-43); it comes back with it.
  void consult(JobItem item);
  /// True while the job's verdict is waited for here.
  bool holds(const JobId& job) const { return asked_.contains(job); }

  /// Answers that have come, and outages, as commands.
  std::vector<JobItem> gather(Instant now);
  /// The job as it is stored. Null: there is none. A failure: not now.
  using Find = std::function<Outcome<const job::Job*>(const JobId&)>;
  /// Sends what waits, as far as breaker and room allow.
  void send(Instant now, const Find& find);

  /// What decisions are told of it, but for the fail mode.
  job::Kernel given() const {
    return {!way_ || way_->state() != breaker::State::open, newest_, job::FailMode::closed};
  }
  /// The newest snapshot, once after the kernel has named it.
  std::optional<std::string> take_named();
  /// True once after the breaker has closed: who waits may ask.
  bool take_closed() { return std::exchange(closed_, false); }

  /// The breaker's state, once after it has become another.
  std::optional<breaker::State> take_change() { return on() ? way_->take_change() : std::nullopt; }

  BreakerView view();
  /// True when it was not closed.
  bool reset();
  bool quiet() const { return waiting_.empty() && under_way_.empty() && ready_.empty(); }
  bool idle() const { return ready_.empty(); }
  std::optional<Instant> next_due() const;
  /// Whoever waits for a command is told that nothing comes of it.
  void stop();

 private:
  struct Want {
    JobId job;
    std::optional<JobItem> item{};  ///< that needs the word; none: the job does
  };
  struct Asked {
    Want want;
    uint32_t revision = 1;
  };
  bool has_room();
  bool is_wanted(const Want& want, const job::Job& job) const;
  Outcome<std::string> content_of(const job::Job& job);
  void submit(Want want, const job::Job& job, std::string content, const breaker::Pass& pass,
              Instant now);
  void take(const PolicyAnswer& answer, Instant now);
  void time_out(Instant now);
  void deliver(Want want, job::Verdict word, uint32_t revision, uint64_t micros = 0);

  PolicyKernel* const kernel_;
  JobFiles* const files_;
  const PolicySettings settings_;
  std::optional<GuardedWay> way_;
  std::deque<Want> waiting_;
  std::map<JobId, uint32_t> asked_;  ///< with the revision that a verdict is wanted of
  GuardedCalls<Asked> under_way_;
  std::vector<JobItem> ready_;
  std::optional<Instant> retry_at_;  ///< the store could not be read
  uint64_t named_by_ = 0;            ///< ticket of the question whose answer named `newest_`
  std::optional<std::string> newest_;
  /// It has answered since it last failed. Until then no more calls go out than open the circuit.
  bool trusted_ = false;
  bool named_ = false;
  bool closed_ = false;
};

}  // namespace fermata
