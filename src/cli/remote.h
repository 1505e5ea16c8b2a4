#pragma once
#include "cli/client.h"

/// What the commands that talk to a server have in common.
namespace fermata::cli {

/// The path of an execution: `/executions/ID`.
std::string execution_path(const std::string& id);

/// POSTs to `/executions/ID/ACTION` for the one ID on the command line and says what became of it.
Exit act(const Arguments& arguments, Surroundings& around, std::string_view action,
         const Value& body);

/// The same for actions that make a new execution, with `--dry-run` showing the plan instead.
Exit restart(const Arguments& arguments, Surroundings& around, std::string_view action,
             const Value& body);
Option dry_run_option();

/// The member as text for people; empty when it is missing or null.
std::string text_at(const Value& object, std::string_view key);
/// The member as a natural number; 0 when it is none.
uint64_t number_at(const Value& object, std::string_view key);
/// 2026-01-26 10:00:00 of an RFC 3339 text.
std::string short_time(const std::string& at);
/// Says how to read on where a list has another page.
void tell_of_more(const Value& page, const Terminal& terminal);

}  // namespace fermata::cli
