#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "core/job/words.h"

namespace fermata::fleet {

/// Whose turn it is in each pool (J-55). Every account has a count of what it was given, divided by
/// its weight; the lowest one is next. Who comes anew begins where the others are: nothing is saved
/// up by waiting elsewhere.
class Turns {
 public:
  using FlowId = uint32_t;
  static constexpr uint64_t interactive_per_batch = 8;

  uint64_t count_of(const std::string& pool, job::Priority priority, FlowId flow) const;
  void served(const std::string& pool, job::Priority priority, FlowId flow, uint32_t weight);
  /// True when interactive jobs have had their share before batch.
  bool batch_is_next(const std::string& pool) const;
  void forget(FlowId flow);

 private:
  struct Lane {
    uint64_t now = 0;  ///< the count of who was served last
    std::map<FlowId, uint64_t> counts;
  };
  struct OfPool {
    std::array<Lane, 3> lanes;
    uint64_t interactive_in_a_row = 0;
  };
  std::map<std::string, OfPool> pools_;
};

}  // namespace fermata::fleet
