#include "core/flow/durable/own_copy.h"

#include <vector>

namespace fermata::flow {

Value own_copy(const Value& value) {
  std::vector<Value> parts;
  if (value.is_array()) {
    parts.reserve(value.size());
    for (const Value& item : value.items()) parts.push_back(own_copy(item));
    return Value::array(std::move(parts));
  }
  if (!value.is_object()) return value;
  parts.reserve(value.size() * 2);
  for (const Value::Member& member : value.members()) {
    parts.push_back(member.key);
    parts.push_back(own_copy(member.value));
  }
  return Value::take_object(parts);
}

}  // namespace fermata::flow
