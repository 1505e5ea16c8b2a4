#include "adapters/postgres/arguments.h"

#include "base/check.h"

namespace fermata::postgres {
namespace {

/// Object ids of PostgreSQL's own types never change.
struct TypeIds {
  uint32_t one;
  uint32_t array;
};
TypeIds ids_of(Type type) {
  switch (type) {
    case Type::flag: return {16, 1000};
    case Type::integer: return {23, 1007};
    case Type::number: return {20, 1016};
    case Type::text: return {25, 1009};
    case Type::bytes: return {17, 1001};
  }
  check(false);
  return {};
}

void put_big_endian(std::string& out, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

int width_of(Type type) {
  switch (type) {
    case Type::flag: return 1;
    case Type::integer: return 4;
    default: return 8;
  }
}

}  // namespace

void Column::add(int64_t value) {
  check(type_ == Type::flag || type_ == Type::integer || type_ == Type::number);
  int width = width_of(type_);
  put_big_endian(elements_, static_cast<uint64_t>(width), 4);
  put_big_endian(elements_, static_cast<uint64_t>(value), width);
  ++size_;
}

void Column::add(std::string_view value) {
  check(type_ == Type::text || type_ == Type::bytes);
  put_big_endian(elements_, value.size(), 4);
  elements_ += value;
  ++size_;
}

void Column::add_none() {
  put_big_endian(elements_, UINT32_MAX, 4);
  nulls_ = true;
  ++size_;
}

void Column::append(const Column& other) {
  check(type_ == other.type_);
  elements_ += other.elements_;
  size_ += other.size_;
  nulls_ = nulls_ || other.nulls_;
}

std::string Column::binary() const {
  std::string out;
  out.reserve(20 + elements_.size());
  put_big_endian(out, size_ == 0 ? 0 : 1, 4);  // dimensions
  put_big_endian(out, nulls_ ? 1 : 0, 4);
  put_big_endian(out, ids_of(type_).one, 4);
  if (size_ == 0) return out;
  put_big_endian(out, size_, 4);
  put_big_endian(out, 1, 4);  // the first index
  out += elements_;
  return out;
}

void Column::each(const std::function<void(std::optional<std::string_view>)>& show) const {
  std::string_view left = elements_;
  while (!left.empty()) {
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<uint8_t>(left[i]);
    left.remove_prefix(4);
    if (length == UINT32_MAX) {
      show(std::nullopt);
      continue;
    }
    show(left.substr(0, length));
    left.remove_prefix(length);
  }
}

Arguments& Arguments::put(Type type, std::string bytes) {
  values_.push_back({ids_of(type).one, false, std::move(bytes)});
  return *this;
}

Arguments& Arguments::number(int64_t value) {
  std::string bytes;
  put_big_endian(bytes, static_cast<uint64_t>(value), 8);
  return put(Type::number, std::move(bytes));
}

Arguments& Arguments::integer(int32_t value) {
  std::string bytes;
  put_big_endian(bytes, static_cast<uint32_t>(value), 4);
  return put(Type::integer, std::move(bytes));
}

Arguments& Arguments::none(Type type) {
  values_.push_back({ids_of(type).one, true, {}});
  return *this;
}

Arguments& Arguments::array(const Column& column) {
  values_.push_back({ids_of(column.type()).array, false, column.binary()});
  return *this;
}

size_t Arguments::byte_count() const {
  size_t sum = 0;
  for (const Value& value : values_) sum += value.bytes.size();
  return sum;
}

Arguments::Raw Arguments::raw() const {
  Raw raw;
  for (const Value& value : values_) {
    raw.types.push_back(value.type);
    raw.values.push_back(value.null ? nullptr : value.bytes.data());
    raw.lengths.push_back(static_cast<int>(value.bytes.size()));
    raw.formats.push_back(1);
  }
  return raw;
}

}  // namespace fermata::postgres
