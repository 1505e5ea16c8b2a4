#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "core/model/event.h"

/// Writes and reads the fields that events and snapshots are made of: one rule per type, used in
/// both directions, so that a field cannot be written one way and read another.
namespace fermata {

class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}
  template <class T>
  void operator()(const char*, T& field) { put(field); }

  void put(bool value) { out_.u8(value ? 1 : 0); }
  void put(uint32_t value) { out_.varint(value); }
  void put(uint64_t value) { out_.varint(value); }
  void put(int64_t value) { out_.zigzag(value); }
  void put(Instant value) { out_.zigzag(value.ms); }
  void put(const std::string& value) { out_.text(value); }
  void put(const Value& value) { out_.value(value); }
  template <class Tag> void put(const Id<Tag>& value) { out_.text(value.text()); }
  template <class E> requires std::is_enum_v<E>
  void put(E value) { out_.u8(static_cast<uint8_t>(value)); }
  template <class T> void put(const std::optional<T>& value) {
    out_.u8(value ? 1 : 0);
    if (value) put(*value);
  }
  template <class T> void put(const std::vector<T>& values) {
    out_.varint(values.size());
    for (const T& value : values) put(value);
  }
  void put(const Lineage& value) { put(value.scope); put(value.item); }
  void put(const Activation& value) {
    put(value.token); put(value.node); put(value.lineage); put(value.visit); put(value.attempt);
  }

 private:
  ByteWriter& out_;
};

class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(in) {}
  template <class T>
  void operator()(const char*, T& field) { take(field); }

  void take(bool& value) { value = in_.u8() != 0; }
  void take(uint32_t& value) {
    uint64_t wide = in_.varint();
    if (wide > UINT32_MAX) in_.fail();
    value = static_cast<uint32_t>(wide);
  }
  void take(uint64_t& value) { value = in_.varint(); }
  void take(int64_t& value) { value = in_.zigzag(); }
  void take(Instant& value) { value.ms = in_.zigzag(); }
  void take(std::string& value) { value = std::string(in_.text()); }
  void take(Value& value) { value = in_.value(); }
  template <class Tag> void take(Id<Tag>& value) { value = Id<Tag>(std::string(in_.text())); }
  template <class E> requires std::is_enum_v<E>
  void take(E& value) { value = static_cast<E>(in_.u8()); }
  template <class T> void take(std::optional<T>& value) {
    if (in_.u8() == 0) {
      value.reset();
    } else {
      take(value.emplace());
    }
  }
  template <class T> void take(std::vector<T>& values) {
    values.resize(in_.count());
    for (T& value : values) take(value);
  }
  void take(Lineage& value) { take(value.scope); take(value.item); }
  void take(Activation& value) {
    take(value.token); take(value.node); take(value.lineage); take(value.visit);
    take(value.attempt);
  }

 private:
  ByteReader& in_;
};

}  // namespace fermata
