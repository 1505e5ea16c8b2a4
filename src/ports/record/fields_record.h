#pragma once
#include "base/fields.h"
#include "ports/record/record.h"

namespace fermata::record {

/// The record of whatever lists its own fields.
template <class T>
std::string encode_fields(const T& part, uint64_t number) {
  ByteWriter out;
  FieldWriter(out).put(part);
  return seal(out.take(), number);
}

template <class T>
std::optional<T> decode_fields(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  T part{};
  FieldReader(in).take(part);
  if (!in.done()) return std::nullopt;
  return part;
}

}  // namespace fermata::record
