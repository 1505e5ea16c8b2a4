#pragma once
#include <string>

#include "base/value.h"

namespace fermata {

/// Members that are texts, as a map of the wire.
template <class Map>
void put_texts(const Value& object, Map& map) {
  if (!object.is_object()) return;
  for (const Value::Member& member : object.members())
    if (member.value.is_string())
      map[std::string(member.key.as_string())] = std::string(member.value.as_string());
}

}  // namespace fermata
