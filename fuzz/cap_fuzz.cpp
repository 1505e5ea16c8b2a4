#include <cstdint>

#include "adapters/cap/cap_codec.h"
#include "base/check.h"

/// Any bytes as a packet of the bus: refused, or read; and what was read is written and read again
/// as the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  CapCodec codec;
  auto read = codec.read(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read) return 0;
  std::string written = codec.write(*read);
  auto again = codec.read(written);
  check(again && codec.write(*again) == written);
  return 0;
}
