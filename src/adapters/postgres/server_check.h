#pragma once
#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// What a server must be for what it has answered to be true (C-6): its version, its encoding, and
/// that it makes commits durable before it answers. Fails with invalid_setting, which tells what
/// was found, why it matters and, where there is one, the setting that allows it.
Outcome<void> check_server(Connection& connection, bool allow_unsafe);

}  // namespace fermata::postgres
