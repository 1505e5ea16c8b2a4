#pragma once
#include <string>

#include "ports/catalog.h"

namespace fermata::server {

/// Who asks, and for which account.
struct Principal {
  AccountId account;
  Role role = Role::viewer;
  std::string actor;  ///< a key's id, `local` or `anonymous`
};

inline const AccountId default_account{"default"};

/// The roles contain each other (viewer, operator, editor, admin, root) except `worker`, which may
/// do nothing but a worker's work; of the others only root may do that.
constexpr bool role_allows(Role have, Role needed) {
  if (needed == Role::worker) return have == Role::worker || have == Role::root;
  if (have == Role::worker) return false;
  return have >= needed;
}

}  // namespace fermata::server
