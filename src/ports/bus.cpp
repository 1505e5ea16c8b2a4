#include "ports/bus.h"

namespace fermata {

const std::string* find_header(const BusHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace fermata
