#pragma once
#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/id.h"
#include "base/time.h"

/// Writes and reads the fields that records are made of: one rule per type, used in both
/// directions, so that a field cannot be written one way and read another. A record lists its
/// fields once, in `each`.
namespace fermata {

/// A part of a record that lists its own fields.
template <class T, class V>
concept ListsFields = requires(T& part, V& visitor) { part.each(visitor); };

/// A part that may get more fields: it is written with its length, and what an older one lacks
/// keeps its default. Others are written bare and never change.
template <class T>
concept Extensible = requires { requires T::extensible; };

class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}
  template <class T>
  void operator()(const char*, T& field) {
    put(field);
  }

  void put(bool value) { out_.u8(value ? 1 : 0); }
  void put(uint32_t value) { out_.varint(value); }
  void put(uint64_t value) { out_.varint(value); }
  void put(int64_t value) { out_.zigzag(value); }
  void put(double value) { out_.fixed64(std::bit_cast<uint64_t>(value)); }
  void put(Instant value) { out_.zigzag(value.ms); }
  void put(const std::string& value) { out_.text(value); }
  void put(const Value& value) { out_.value(value); }
  template <class Tag> void put(const Id<Tag>& value) { out_.text(value.text()); }
  template <class E>
    requires std::is_enum_v<E>
  void put(E value) {
    out_.u8(static_cast<uint8_t>(value));
  }
  template <class T> void put(const std::optional<T>& value) {
    out_.u8(value ? 1 : 0);
    if (value) put(*value);
  }
  template <class T> void put(const std::vector<T>& values) {
    out_.varint(values.size());
    for (const T& value : values) put(value);
  }
  template <ListsFields<FieldWriter> T> void put(const T& part) {
    // `each` visits fields by reference; writing does not change them.
    auto& fields = const_cast<T&>(part);
    if constexpr (Extensible<T>) {
      ByteWriter inner;
      FieldWriter writer(inner);
      fields.each(writer);
      out_.text(inner.bytes());
    } else {
      fields.each(*this);
    }
  }

 private:
  ByteWriter& out_;
};

class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(in) {}
  template <class T>
  void operator()(const char*, T& field) {
    take(field);
  }

  void take(bool& value) { value = in_.u8() != 0; }
  void take(uint32_t& value) {
    uint64_t wide = in_.varint();
    if (wide > UINT32_MAX) in_.fail();
    value = static_cast<uint32_t>(wide);
  }
  void take(uint64_t& value) { value = in_.varint(); }
  void take(int64_t& value) { value = in_.zigzag(); }
  void take(double& value) { value = std::bit_cast<double>(in_.fixed64()); }
  void take(Instant& value) { value.ms = in_.zigzag(); }
  void take(std::string& value) { value = std::string(in_.text()); }
  void take(Value& value) { value = in_.value(); }
  template <class Tag> void take(Id<Tag>& value) { value = Id<Tag>(std::string(in_.text())); }
  /// An enumeration that says which of its words is the last one is held to it.
  template <class E>
    requires std::is_enum_v<E>
  void take(E& value) {
    uint8_t number = in_.u8();
    if constexpr (requires { last_of(E{}); })
      if (number > static_cast<uint8_t>(last_of(E{}))) in_.fail();
    value = in_.ok() ? static_cast<E>(number) : E{};
  }
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
  template <ListsFields<FieldReader> T> void take(T& part) {
    if constexpr (Extensible<T>) {
      take_extensible(part);
    } else {
      part.each(*this);
    }
  }
  /// The fields of a part written with its length. One by a newer version, with fields that are
  /// not known here, is refused.
  template <class T> void take_extensible(T& part) {
    ByteReader inner(in_.text());
    FieldReader reader(inner);
    auto known = [&](const char*, auto& field) {
      if (inner.remaining() > 0) reader.take(field);
    };
    part.each(known);
    if (!inner.done()) in_.fail();
  }

 private:
  ByteReader& in_;
};

}  // namespace fermata
