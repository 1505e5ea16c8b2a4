#include <cstdint>

#include "adapters/tzdata/tzif.h"
#include "base/check.h"

/// Whatever the bytes: a reason, or a zone that shows every instant it is asked for and finds it
/// again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  auto zone = read_tzif({reinterpret_cast<const char*>(data), size});
  if (!zone) {
    check(!zone.error().empty());
    return 0;
  }
  constexpr int64_t day_ms = 86'400'000;
  for (int64_t days : {-40'000, 0, 7'000, 20'454, 20'541, 20'751, 25'000, 150'000}) {
    Instant at{days * day_ms + 1};
    LocalMatch match = zone->match(zone->local_at(at));
    check(match.kind != LocalMatch::Kind::gap && match.earlier <= at && at <= match.later);
    if (auto change = zone->next_change(at)) check(*change > at);
  }
  return 0;
}
