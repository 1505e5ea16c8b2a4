#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "base/json.h"

/// Whatever the bytes: an error with a position, or a value whose print reads back to the same
/// print. (Not to the same value: 5e17 is a number, its print reads as an integer.)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto parsed = parse_json(text);
  if (!parsed) {
    check(!parsed.error().message.empty());
    return 0;
  }
  auto again = parse_json(to_json(*parsed));
  check(again && to_json(*again) == to_json(*parsed));
  ByteWriter out;
  out.value(*parsed);
  ByteReader in(out.bytes());
  check(in.value() == *parsed && in.done());
  return 0;
}
