#pragma once
#include "adapters/memory/memory_store.h"
#include "adapters/scan/examiner.h"

namespace fermata::scenario {

/// The real scanner, which answers within the turn, fails, or says nothing. Forgotten by a crash.
class DirectScans final : public Scans {
 public:
  enum class Mood { works, broken, silent };
  DirectScans(MemoryStore& store, const Mood& mood)
      : examiner_(store, [] { return Instant{0}; }), mood_(mood) {}

  void submit(ScanWork work) override {
    if (mood_ == Mood::silent) return;
    ScanAnswer answer = examiner_.examine(work);
    if (mood_ == Mood::broken && !work.read_only)
      std::visit([](auto& said) { said.problem = "the scanner is broken"; }, answer.said);
    answers_.push_back(std::move(answer));
  }
  std::vector<ScanAnswer> harvest() override { return std::exchange(answers_, {}); }
  bool holds(const ScanTicket&) const override { return false; }
  size_t in_flight() const override { return answers_.size(); }
  Value cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                const Value& error) override {
    return examiner_.cleaned(policy, facts, error);
  }

 private:
  scan::Examiner examiner_;
  const Mood& mood_;
  std::vector<ScanAnswer> answers_;
};

}  // namespace fermata::scenario
