#pragma once
#include <atomic>
#include <functional>
#include <mutex>

#include "ports/output_kernel.h"

namespace fermata {

/// A kernel that reads results in the process: it says what `judge` says, at once. Without one it
/// is down.
class MemoryOutputKernel final : public OutputKernel {
 public:
  using Judge = std::function<OutputAnswer(const OutputQuestion&)>;

  void submit(OutputQuestion question) override {
    {
      std::lock_guard lock(mutex_);
      OutputAnswer answer;
      answer.reason = "the output kernel is down";
      if (judge_) answer = judge_(question);
      answer.ticket = question.ticket;
      answers_.push_back(std::move(answer));
      ++asked_;
      if (question.probe_of > 0) ++probed_;
      last_ = std::move(question);
    }
    if (on_answer) on_answer();
  }
  std::vector<OutputAnswer> harvest() override {
    std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

  // Safe from any thread.
  void set(Judge judge) {
    std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }
  void say(job::OutputDecision decision, std::string redacted_sha256 = "") {
    set([decision, redacted_sha256](const OutputQuestion&) {
      OutputAnswer answer;
      answer.kind = OutputAnswer::Kind::verdict;
      answer.verdict.decision = decision;
      answer.verdict.rule_id = "kernel-rule";
      answer.verdict.reason = "the kernel says so";
      answer.kernel_snapshot = "o1";
      answer.redacted_sha256 = redacted_sha256;
      return answer;
    });
  }
  void go_down() { set({}); }
  uint64_t asked() const { return asked_; }
  uint64_t probed() const { return probed_; }
  bool unheard() {
    std::lock_guard lock(mutex_);
    return !answers_.empty();
  }
  OutputQuestion last() {
    std::lock_guard lock(mutex_);
    return last_;
  }

  std::function<void()> on_answer;  ///< set before the first question

 private:
  std::mutex mutex_;
  Judge judge_;
  std::vector<OutputAnswer> answers_;
  OutputQuestion last_;
  std::atomic<uint64_t> asked_{0};
  std::atomic<uint64_t> probed_{0};
};

}  // namespace fermata
