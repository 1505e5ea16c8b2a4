#pragma once
#include "adapters/sqlite/database.h"

namespace fermata::sqlite {

/// Number of the newest migration this program knows.
int64_t schema_newest();

/// Applies what is missing, each migration in a transaction of its own. Fails with schema_newer,
/// without a change, when the file has a migration that this program does not know, and with
/// data_damaged when it is no store of ours.
Outcome<void> migrate(Database& database);

/// The same checks without applying anything; a store that is older passes.
Outcome<void> check_schema(Database& database);

/// True when the file has the table: a store that no server of this version has opened yet lacks
/// the newest ones.
bool schema_has(Database& database, const std::string& table);

/// Has the header say that pages are summed, as they are; see check_schema.
Outcome<void> note_page_sums(Database& database);

/// Makes the file one whose commits go to a log beside it. Done before a file gets its name: half
/// of this change would have to be undone by whoever opens the file next.
Outcome<void> use_log(Database& database);

}  // namespace fermata::sqlite
