#pragma once
#include <string_view>

#include "server/access.h"

namespace fermata::server::routes {

/// How the server knows who asks, as the API names it.
inline std::string_view access_text(AccessMode mode) {
  switch (mode) {
    case AccessMode::keys: return "keys";
    case AccessMode::local: return "local";
    case AccessMode::insecure: break;
  }
  return "insecure";
}

}  // namespace fermata::server::routes
