#include "adapters/scan/builtin.h"

#include <array>

namespace fermata::scan {
namespace {

using policy::Scanner;

constexpr auto table = std::to_array<Builtin>({
#define BUILTIN(scanner, type, pattern, confidence, closer, national_id) \
  {Scanner::scanner, type, pattern, confidence, closer, national_id},
#include "adapters/scan/builtin.def"
#undef BUILTIN
});

}  // namespace

std::span<const Builtin> builtins() { return table; }

}  // namespace fermata::scan
