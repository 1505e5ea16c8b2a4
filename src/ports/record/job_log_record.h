#pragma once
#include "ports/job_files.h"
#include "ports/record/record.h"

namespace fermata::record {

/// Without the job and the attempt, which its row names.
std::string encode_log(const LogChunk& chunk, uint64_t number);
/// False when it is damaged.
bool decode_log(std::string_view record, uint64_t number, LogChunk& chunk);

}  // namespace fermata::record
