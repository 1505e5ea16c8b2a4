#pragma once
#include "cli/command.h"
#include "cli/settings.h"
#include "cli/world.h"

namespace fermata::cli {

/// Options that name a PostgreSQL, for commands that work on a store without a server.
std::vector<Option> shared_store_options();
/// The same with a data directory beside it, and the settings file.
std::vector<Option> with_data_option();

/// What this process is called among others on the same store.
std::string own_name(const Settings& settings);

/// How to reach the PostgreSQL of the setting `store`; without what a server wants to be told.
/// Fails with invalid_setting where the password cannot be read.
Outcome<PostgresWanted> postgres_wanted(const Settings& settings);

}  // namespace fermata::cli
