#include <cstdint>

#include "base/bytes.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"

/// Stored bytes that were damaged or forged are refused, never believed and never a crash.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (uint32_t count : {1u, 3u}) {
    auto events = decode_history({1, count, bytes});
    if (events) (void)encode_history(*events);
  }
  auto definition = std::make_shared<graph::Definition>();
  auto state = decode_snapshot(bytes, definition);
  if (state) (void)encode_snapshot(*state);
  ByteReader in(bytes);
  (void)in.value();
  return 0;
}
