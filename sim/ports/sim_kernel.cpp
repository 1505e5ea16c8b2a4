#include "sim/ports/sim_kernel.h"

#include "core/breaker/breaker.h"

namespace fermata::sim {

Instant SimKernel::arrival() {
  int64_t latency_ms =
      chaos_.strikes(Fault::kernel_slow) ? chaos_.between(1'500, 20'000) : chaos_.between(1, 60);
  return clock_.true_now() + Duration{latency_ms};
}

PolicyAnswer SimKernel::answer_to(const PolicyQuestion& question) {
  PolicyAnswer answer;
  answer.ticket = question.ticket;
  bool down = !outside_.up && !chaos_.healed();
  if (down || chaos_.strikes(Fault::kernel_failed)) {
    answer.reason = "as the dice fell";
    return answer;
  }
  if (chaos_.strikes(Fault::kernel_unknown)) {
    answer.kind = PolicyAnswer::Kind::unknown;
    answer.reason = "decision 99";
    return answer;
  }
  answer.kind = PolicyAnswer::Kind::verdict;
  answer.verdict = outside_.judge(question, outside_.generation);
  answer.verdict.kernel_snapshot = outside_.snapshot();
  return answer;
}

void SimKernel::submit(PolicyQuestion question) {
  chaos_.port_call("kernel.submit");
  ++outside_.asked;
  if (question.probe_of > 0 && ++probes_[question.probe_of] > breaker::tickets)
    throw Violation{"episode " + std::to_string(question.probe_of) + " is probed once too often"};
  PolicyAnswer answer = answer_to(question);
  chaos_.port_call("kernel.submit sent");
  if (chaos_.strikes(Fault::kernel_lost)) return;
  if (chaos_.strikes(Fault::kernel_twice)) coming_.emplace(arrival(), answer);
  coming_.emplace(arrival(), std::move(answer));
}

std::vector<PolicyAnswer> SimKernel::harvest() {
  chaos_.port_call("kernel.harvest");
  std::vector<PolicyAnswer> answers;
  while (!coming_.empty() && coming_.begin()->first <= clock_.true_now()) {
    answers.push_back(std::move(coming_.begin()->second));
    coming_.erase(coming_.begin());
  }
  return answers;
}

std::optional<Instant> SimKernel::next() const {
  if (coming_.empty()) return std::nullopt;
  return coming_.begin()->first;
}

}  // namespace fermata::sim
