#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <set>
#include <thread>

#include "adapters/scan/examiner.h"

namespace fermata {

struct ThreadScansOptions {
  size_t threads = 1;
  size_t queue_max = 100'000;  ///< work beyond is dropped; its due time brings it back
  std::function<Instant()> now{};
  std::function<void()> on_answer{};  ///< called on another thread; must not block
};

/// Scans on threads of its own.
class ThreadScans final : public Scans {
 public:
  ThreadScans(ScanFiles& files, ThreadScansOptions options);
  ~ThreadScans() override;

  void submit(ScanWork work) override;
  std::vector<ScanAnswer> harvest() override;
  bool holds(const ScanTicket& ticket) const override;
  size_t in_flight() const override;
  Value cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                const Value& error) override {
    return examiner_.cleaned(policy, facts, error);
  }

 private:
  void run();

  const ThreadScansOptions options_;
  scan::Examiner examiner_;
  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<ScanWork> waiting_;
  std::set<ScanTicket> held_;  ///< waiting or under way
  std::vector<ScanAnswer> answers_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Why an expression cannot be used by rules; empty when it can.
std::string complaint_about_pattern(std::string_view pattern);

}  // namespace fermata
