#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace fermata {

/// Containers of a stored value lie at most this deep in each other. The writer checks it, so who
/// builds values from input asks `Value::nests_deeper_than` first; the reader refuses more.
constexpr int value_nesting_max = 200;

/// Appends the compact binary form that records are stored in: variable-length numbers,
/// length-prefixed texts, values as tagged trees.
class ByteWriter {
 public:
  void u8(uint8_t value);
  void varint(uint64_t value);
  void zigzag(int64_t value);
  void fixed64(uint64_t value);
  void text(std::string_view value);
  void value(const Value& value);
  void raw(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }

 private:
  void value_at(const Value& value, int depth);
  std::string bytes_;
};

/// Reads what ByteWriter wrote. Never reads outside its input: after the first mistake `ok()` is
/// false and every further read gives zero, so callers check once at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint8_t u8();
  uint64_t varint();
  int64_t zigzag();
  uint64_t fixed64();
  std::string_view text();
  Value value();
  /// A count that the rest of the input could hold at one byte each; a larger one is a mistake.
  size_t count();
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  size_t remaining() const { return rest_.size(); }

 private:
  Value value_at(int depth, std::vector<Value>& waiting);
  std::string_view rest_;
  bool ok_ = true;
};

/// CRC-32C of a stored record, by the processor's own instruction where it has one.
uint32_t crc32c(std::string_view bytes);
/// The same without that instruction.
uint32_t crc32c_portable(std::string_view bytes);

}  // namespace fermata
