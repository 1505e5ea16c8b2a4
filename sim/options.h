#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sim/fault.h"

namespace fermata::sim {

struct Options {
  uint64_t seeds = 1'000;
  uint64_t from = 1;
  std::optional<uint64_t> seed;  ///< replay this one, with a trace
  std::string workload;          ///< empty: spread over all
  unsigned jobs = 2;
  Sabotage sabotage = Sabotage::none;
  bool self_test = false;
  bool help = false;
  std::optional<std::string> kept;  ///< file of seeds that once failed
};

/// Reads the command line; on a mistake gives nothing and says why in `mistake`.
std::optional<Options> read_options(int argc, char** argv, std::string& mistake);
extern const char* const usage_text;

}  // namespace fermata::sim
