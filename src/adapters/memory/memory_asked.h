#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace fermata {

/// Somebody outside who is asked, in the process: answers what `judge` says, at once. Without one
/// it is down.
template <class Port, class Question, class Answer>
class MemoryAsked : public Port {
 public:
  using Judge = std::function<Answer(const Question&)>;

  void submit(Question question) override {
    {
      std::lock_guard lock(mutex_);
      Answer answer;
      answer.reason = "the kernel is down";
      if (judge_) answer = judge_(question);
      answer.ticket = question.ticket;
      answers_.push_back(std::move(answer));
      ++asked_;
      if (question.probe_of > 0) ++probed_;
      last_ = std::move(question);
    }
    if (on_answer) on_answer();
  }
  std::vector<Answer> harvest() override {
    std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

  // Safe from any thread.
  void set(Judge judge) {
    std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }
  void go_down() { set({}); }
  uint64_t asked() const { return asked_; }
  uint64_t probed() const { return probed_; }
  bool unheard() {
    std::lock_guard lock(mutex_);
    return !answers_.empty();
  }
  Question last() {
    std::lock_guard lock(mutex_);
    return last_;
  }

  std::function<void()> on_answer;  ///< set before the first question

 private:
  std::mutex mutex_;
  Judge judge_;
  std::vector<Answer> answers_;
  Question last_;
  std::atomic<uint64_t> asked_{0};
  std::atomic<uint64_t> probed_{0};
};

}  // namespace fermata
