#pragma once
#include <string>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/terminal.h"
#include "front/credential_types.h"

namespace fermata::cli {

/// A secret text from `@FILE`, or from standard input when `from` is empty or `-`. On a terminal it
/// is asked for and not shown. It never comes from the command line, which other programs can read.
Outcome<std::string> read_secret(const std::string& from, const Terminal& terminal);

/// The values of a credential: `--set NAME=VALUE` for what is no secret, and a text that is a JSON
/// object with the rest, or the one secret that the type has. Fails with `usage`, quoting nothing.
Outcome<Value> credential_values(const front::CredentialType& type, const Arguments& arguments,
                                 const Terminal& terminal);

}  // namespace fermata::cli
