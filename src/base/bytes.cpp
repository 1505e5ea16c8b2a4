#include "base/bytes.h"

#include <bit>

#include "base/check.h"

namespace fermata {
namespace {

/// How a value begins. Stored data depends on these numbers: never change one, only add.
enum Tag : uint8_t {
  tag_null = 0,
  tag_false = 1,
  tag_true = 2,
  tag_integer = 3,
  tag_number = 4,
  tag_string = 5,
  tag_array = 6,
  tag_object = 7,
};

}  // namespace

void ByteWriter::u8(uint8_t value) { bytes_ += static_cast<char>(value); }

void ByteWriter::varint(uint64_t value) {
  char buffer[10];
  size_t size = 0;
  while (value >= 0x80) {
    buffer[size++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  buffer[size++] = static_cast<char>(value);
  bytes_.append(buffer, size);
}

void ByteWriter::zigzag(int64_t value) {
  varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::fixed64(uint64_t value) {
  char buffer[8];
  for (int i = 0; i < 8; ++i) buffer[i] = static_cast<char>(value >> (8 * i));
  bytes_.append(buffer, sizeof buffer);
}

void ByteWriter::text(std::string_view value) {
  varint(value.size());
  bytes_ += value;
}

void ByteWriter::value(const Value& value) { value_at(value, 0); }

void ByteWriter::value_at(const Value& value, int depth) {
  switch (value.kind()) {
    case Value::Kind::null: return u8(tag_null);
    case Value::Kind::boolean: return u8(value.as_bool() ? tag_true : tag_false);
    case Value::Kind::integer: u8(tag_integer); return zigzag(value.as_integer());
    case Value::Kind::number:
      u8(tag_number);
      return fixed64(std::bit_cast<uint64_t>(value.as_number()));
    case Value::Kind::string: u8(tag_string); return text(value.as_string());
    case Value::Kind::array:
      check(depth < value_nesting_max);
      u8(tag_array);
      varint(value.size());
      for (const Value& item : value.items()) value_at(item, depth + 1);
      return;
    case Value::Kind::object:
      check(depth < value_nesting_max);
      u8(tag_object);
      varint(value.size());
      for (const Value::Member& member : value.members()) {
        text(member.key.as_string());
        value_at(member.value, depth + 1);
      }
      return;
  }
}

uint8_t ByteReader::u8() {
  if (rest_.empty()) {
    fail();
    return 0;
  }
  auto value = static_cast<uint8_t>(rest_[0]);
  rest_.remove_prefix(1);
  return value;
}

uint64_t ByteReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = u8();
    // The tenth byte has room for one bit of the 64.
    if (shift == 63 && byte > 1) fail();
    if (!ok_) return 0;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

int64_t ByteReader::zigzag() {
  uint64_t bits = varint();
  return static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
}

uint64_t ByteReader::fixed64() {
  if (rest_.size() < 8) {
    fail();
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(8);
  return value;
}

std::string_view ByteReader::text() {
  uint64_t size = varint();
  if (size > rest_.size()) {
    fail();
    return {};
  }
  std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

size_t ByteReader::count() {
  uint64_t count = varint();
  if (count > rest_.size()) {
    fail();
    return 0;
  }
  return count;
}

Value ByteReader::value() {
  std::vector<Value> waiting;
  return value_at(0, waiting);
}

/// Values wait on one stack until their container takes them in a single allocation.
Value ByteReader::value_at(int depth, std::vector<Value>& waiting) {
  uint8_t tag = u8();
  if (!ok_) return {};
  switch (tag) {
    case tag_null: return {};
    case tag_false: return false;
    case tag_true: return true;
    case tag_integer: return zigzag();
    case tag_number: {
      auto number = std::bit_cast<double>(fixed64());
      return ok_ ? Value(number) : Value();
    }
    case tag_string: {
      std::string_view value = text();
      return ok_ ? Value(value) : Value();
    }
    case tag_array:
    case tag_object: break;
    default: fail(); return {};
  }
  size_t elements = count();
  if (depth >= value_nesting_max) fail();
  if (tag == tag_object) elements *= 2;
  // The count is only a claim: the stack grows with what was really read.
  size_t base = waiting.size();
  for (size_t i = 0; i < elements && ok_; ++i) {
    bool key = tag == tag_object && i % 2 == 0;
    Value element = key ? Value(text()) : value_at(depth + 1, waiting);
    waiting.push_back(std::move(element));
  }
  auto parts = std::span(waiting).subspan(base);
  if (tag == tag_object && ok_ && Value::repeated_key(parts) != Value::npos) fail();
  if (!ok_) return {};
  Value container = tag == tag_object ? Value::take_object(parts) : Value::take_array(parts);
  waiting.resize(base);
  return container;
}

}  // namespace fermata
