#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/trial/trial.h"

namespace fermata::trial {

/// What the trials of a plan came to, seed by seed. The plan must outlive it.
class Tally {
 public:
  explicit Tally(const Plan& plan) : plan_(plan) {}

  /// Lives one seed through and counts it. Fails when the run is refused at its start.
  Outcome<void> count(uint64_t seed);

  uint64_t seeds() const { return seeds_; }
  /// {seeds, outcomes[], errors[], length_ms, slowest, nodes[], calendar[], promises[]}.
  Value value() const;

 private:
  struct Group {
    uint64_t count = 0;
    uint64_t first_seed = 0;
  };
  struct Broken {
    uint64_t count = 0;
    std::vector<uint64_t> seeds;  ///< the first few
    std::string why;              ///< of the first
  };
  struct Reached {
    uint64_t seeds = 0;
    uint64_t times = 0;
  };
  void judge(const Trial& trial, uint64_t seed);
  Value lengths() const;
  Value nodes() const;
  Value calendar() const;

  const Plan& plan_;
  uint64_t seeds_ = 0;
  std::map<std::string, Group> outcomes_;
  std::map<std::pair<std::string, std::string>, Group> errors_;  ///< by code and node
  std::map<std::string, Group> waits_;  ///< what runs stood at that did not end: kind and node
  std::vector<int64_t> lengths_;        ///< of those that ended
  std::pair<int64_t, uint64_t> slowest_{-1, 0};
  std::vector<Reached> reached_;
  Trial::Fired fired_;
  std::map<size_t, Broken> broken_;  ///< by place of the promise
};

/// Whether it holds, or why not.
Outcome<void> holds(const Promise& promise, const Plan& plan, const Trial& trial);

}  // namespace fermata::trial
