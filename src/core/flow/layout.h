#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace fermata::flow {

struct Function;

/// What lies on the stack of a function before each of its instructions: found once, by walking
/// every way through the code. Code whose ways disagree, or that leaves its bounds, has no layout
/// and never runs; so a snapshot needs to hold neither heights nor handlers (F-45).
struct Layout {
  /// A try block around an instruction. The first one stands for none.
  struct Guard {
    uint32_t outer = 0;
    uint32_t target = 0;
    uint32_t height = 0;  ///< operands that stay when something is thrown
    bool final = false;
  };
  static constexpr uint32_t nowhere = UINT32_MAX;

  std::vector<uint32_t> heights;  ///< operands above the slots; `nowhere` if never reached
  std::vector<uint32_t> guards;   ///< the innermost guard of each instruction
  std::vector<Guard> table;
  uint32_t height_max = 0;
};

/// True when every operand names something that exists, also in code that no way leads to.
bool operands_fit(const Function& function);
/// True when a function whose instructions are free, as the library's are, can repeat nothing for
/// nothing: a jump back and a call of it cost, so there must be no other way to come again.
bool repeats_at_a_price(const Function& function);
/// Nothing when the code is not sound.
std::optional<Layout> layout_of(const Function& function);

}  // namespace fermata::flow
