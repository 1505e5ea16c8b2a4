#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "base/value.h"
#include "core/job/request.h"
#include "core/job/words.h"

namespace fermata::job {

template <class T>
Value to_value(const T& part);

/// Turns the fields that a record lists into members of an object; what is empty is left out.
class JsonFields {
 public:
  explicit JsonFields(Value& out) : out_(out) {}

  void operator()(std::string_view name, const std::string& text) {
    if (!text.empty()) out_.set(name, text);
  }
  template <class Tag>
  void operator()(std::string_view name, const Id<Tag>& id) {
    (*this)(name, id.text());
  }
  void operator()(std::string_view name, const Value& value) {
    if (!value.is_null()) out_.set(name, value);
  }
  void operator()(std::string_view name, Instant at) { out_.set(name, to_rfc3339(at)); }
  void operator()(std::string_view name, bool value) {
    if (value) out_.set(name, true);
  }
  template <class N>
    requires(std::is_arithmetic_v<N> && !std::is_same_v<N, bool>)
  void operator()(std::string_view name, N number) {
    out_.set(name, number);
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(std::string_view name, E word) {
    std::string_view text = name_of(word);
    if (!text.empty()) out_.set(name, text);
  }
  template <class T>
  void operator()(std::string_view name, const std::vector<T>& items) {
    if (items.empty()) return;
    Value list = Value::array();
    for (const T& item : items) {
      if constexpr (std::is_same_v<T, std::string>) {
        list.push(item);
      } else {
        list.push(to_value(item));
      }
    }
    out_.set(name, std::move(list));
  }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  /// A payload shows as what it holds, or as a reference to its blob.
  void operator()(std::string_view name, const Payload& payload) {
    if (payload.in_blob) {
      out_.set(std::string(name) + "_blob",
               Value::object({{"sha256", payload.sha256}, {"bytes", payload.bytes}}));
    } else if (!payload.sha256.empty()) {
      out_.set(name, payload.value);
    }
  }
  template <ListsFields<JsonFields> T>
  void operator()(std::string_view name, const T& part) {
    Value inner = to_value(part);
    if (inner.size() > 0) out_.set(name, std::move(inner));
  }

 private:
  Value& out_;
};

/// A record as people see it.
template <class T>
Value to_value(const T& part) {
  Value out = Value::object();
  JsonFields fields(out);
  const_cast<T&>(part).each(fields);
  return out;
}

}  // namespace fermata::job
