#pragma once
#include <deque>
#include <set>

#include "host/kernel_desk.h"
#include "ports/output_kernel.h"
#include "ports/scans.h"

namespace fermata {

/// The desk of the kernel that reads results: what a scan here has let pass is asked about there
/// before it is judged, behind a breaker of its own (J-31). It stores nothing: what a crash takes
/// away is scanned again, because the result is still held. A kernel that cannot be asked is a scan
/// that failed, with the tries and the fail mode of one (J-47). Used by the partition's thread
/// alone.
class OutputDesk {
 public:
  OutputDesk(OutputKernel* kernel, Counters* counters, JobFiles* files,
             const PolicySettings& settings);

  /// False: there is no such kernel.
  bool on() const { return kernel_ != nullptr; }
  /// True for what the kernel has a say in: it was read here, and nothing here refuses it.
  bool wants(const job::JudgeOutput& judged) const;
  /// Comes back by `gather` with the kernel's word in it.
  void ask(ScanTicket ticket, job::JudgeOutput judged);
  bool holds(const ScanTicket& ticket) const { return held_.contains(ticket); }

  struct Judged {
    JobId job;
    job::JudgeOutput judge;
  };
  /// What the kernel has answered, or has not in time.
  std::vector<Judged> gather(Instant now);
  /// Sends what waits, as far as breaker and room allow.
  void send(Instant now, const KernelDesk::Find& find);

  /// The breaker's state, once after it has become another.
  std::optional<breaker::State> take_change() { return on() ? way_->take_change() : std::nullopt; }
  BreakerView view();
  /// True when it was not closed.
  bool reset() { return on() && way_->reset(); }
  size_t under_way() const { return under_way_.size(); }
  bool quiet() const { return waiting_.empty() && under_way_.empty() && ready_.empty(); }
  bool idle() const { return ready_.empty(); }
  std::optional<Instant> next_due() const;

 private:
  struct Want {
    ScanTicket ticket;
    job::JudgeOutput judged;
  };
  struct Asked {
    Want want;
    AccountId account;
  };
  Outcome<std::string> content_of(const job::Job& job, const job::JudgeOutput& judged);
  void submit(Want want, const job::Job& job, std::string content, const breaker::Pass& pass,
              Instant now);
  void take(const OutputAnswer& answer);
  void time_out(Instant now);
  void redact(const AccountId& account, const OutputAnswer& answer, job::JudgeOutput& judged);
  void fail(Want want, std::string why);
  void deliver(Want want);

  OutputKernel* const kernel_;
  JobFiles* const files_;
  const PolicySettings settings_;
  std::optional<GuardedWay> way_;
  std::deque<Want> waiting_;
  std::set<ScanTicket> held_;  ///< waiting or under way
  GuardedCalls<Asked> under_way_;
  std::vector<Judged> ready_;
  std::optional<Instant> retry_at_;  ///< the store could not be read
  std::optional<std::string> snapshot_;
};

}  // namespace fermata
