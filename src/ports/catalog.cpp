#include "ports/catalog.h"

#include <array>

namespace fermata {
namespace {

constexpr std::array<std::string_view, 6> role_names = {"viewer", "operator", "editor",
                                                        "admin",  "root",     "worker"};

}  // namespace

std::string_view name_of(Role role) { return role_names.at(static_cast<size_t>(role)); }

std::optional<Role> role_of(std::string_view name) {
  for (size_t i = 0; i < role_names.size(); ++i) {
    if (role_names[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace fermata
