#pragma once
#include "adapters/postgres/connection.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/retention.h"

namespace fermata::postgres {

// What is asked of the large things of jobs and of the dead letter queue, over one connection.

Outcome<std::optional<std::string>> find_blob(Connection& connection, const AccountId& account,
                                              const std::string& sha256);
Outcome<std::optional<uint64_t>> find_blob_size(Connection& connection, const AccountId& account,
                                                const std::string& sha256);
Outcome<std::optional<std::string>> find_held(Connection& connection, const JobId& job);
Outcome<LogPage> read_log(Connection& connection, const JobId& job, size_t limit, uint64_t after);
/// What a held output is sealed with.
uint64_t held_salt(const JobId& job);
/// What the parts of its log are sealed with.
uint64_t log_salt(const JobId& job);

Outcome<std::optional<DeadLetterEntry>> find_dead_letter(Connection& connection,
                                                         const std::string& id);
Outcome<DeadLetterPage> list_dead_letters(Connection& connection, const DeadLetterFilter& filter,
                                          size_t limit, uint64_t before);

// What is written of them, within a transaction of the caller.

Outcome<void> put_blob_row(Connection& connection, const AccountId& account,
                           const std::string& sha256, std::string_view bytes, Instant at);
Outcome<size_t> append_log_rows(Connection& connection, const LogChunk& chunk, uint64_t bytes_max);
Outcome<void> write_resolution(Connection& connection, const DeadLetterEntry& entry);

}  // namespace fermata::postgres
