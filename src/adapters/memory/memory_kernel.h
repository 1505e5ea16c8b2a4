#pragma once
#include <atomic>
#include <functional>
#include <mutex>

#include "ports/policy_kernel.h"

namespace fermata {

/// A policy kernel in the process: it says what `judge` says, at once. Without one it is down.
class MemoryKernel final : public PolicyKernel {
 public:
  using Judge = std::function<PolicyAnswer(const PolicyQuestion&)>;

  void submit(PolicyQuestion question) override {
    std::lock_guard lock(mutex_);
    PolicyAnswer answer;
    answer.reason = "the kernel is down";
    if (judge_) answer = judge_(question);
    answer.ticket = question.ticket;
    answers_.push_back(std::move(answer));
    ++asked_;
    if (question.probe_of > 0) ++probed_;
    last_ = std::move(question);
    if (on_answer) on_answer();
  }
  std::vector<PolicyAnswer> harvest() override {
    std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

  // Safe from any thread.
  void set(Judge judge) {
    std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }
  /// Always the same decision, under the snapshot.
  void say(job::VerdictKind kind, std::string snapshot = "k1") {
    set([kind, snapshot](const PolicyQuestion&) {
      PolicyAnswer answer;
      answer.kind = PolicyAnswer::Kind::verdict;
      answer.verdict.kind = kind;
      answer.verdict.kernel_snapshot = snapshot;
      answer.verdict.rule_id = "kernel-rule";
      answer.verdict.reason = "the kernel says so";
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
  PolicyQuestion last() {
    std::lock_guard lock(mutex_);
    return last_;
  }

  std::function<void()> on_answer;  ///< set before the first question

 private:
  std::mutex mutex_;
  Judge judge_;
  std::vector<PolicyAnswer> answers_;
  PolicyQuestion last_;
  std::atomic<uint64_t> asked_{0};
  std::atomic<uint64_t> probed_{0};
};

}  // namespace fermata
