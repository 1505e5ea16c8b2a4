#include "core/model/measure.h"

#include <set>
#include <vector>

namespace fermata {

namespace {

/// Walks without recursion: values may nest as deep as the limits allow.
template <class Enter>
uint64_t walk(const Value& value, Enter enter) {
  uint64_t bytes = 0;
  std::vector<const Value*> open = {&value};
  while (!open.empty()) {
    const Value& at = *open.back();
    open.pop_back();
    if (!enter(at)) continue;
    switch (at.kind()) {
      case Value::Kind::string: bytes += at.as_string().size() + 2; break;
      case Value::Kind::array:
        bytes += 2 + at.size();
        for (const Value& item : at.items()) open.push_back(&item);
        break;
      case Value::Kind::object:
        bytes += 2;
        for (const Value::Member& member : at.members()) {
          bytes += member.key.as_string().size() + 4;
          open.push_back(&member.value);
        }
        break;
      default: bytes += 6;
    }
  }
  return bytes;
}

}  // namespace

uint64_t approximate_bytes(const Value& value) {
  return walk(value, [](const Value&) { return true; });
}

uint64_t reachable_bytes(const Context& context) {
  std::set<const void*> seen;
  uint64_t bytes = 0;
  context.each([&](Context::Key, const Context::Entry& entry) {
    bytes += walk(entry.value, [&](const Value& at) {
      return at.node() == nullptr || seen.insert(at.node()).second;
    });
  });
  return bytes;
}

}  // namespace fermata
