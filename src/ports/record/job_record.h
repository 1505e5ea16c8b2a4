#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/job/summary.h"

namespace fermata::record {

/// A job's row, sealed as every record (record.h).
struct JobRecord {
  uint64_t version = 0;
  uint64_t head = 0;  ///< number of the newest row of its history, 0 for none
  job::Summary summary;
};
std::string encode_job(uint64_t version, uint64_t head, const job::Summary& summary,
                       uint64_t number);
/// What a change of the row needs to know of it.
struct JobLead {
  uint64_t version = 0;
  uint64_t head = 0;
  job::State state = job::State::none;
  uint64_t last_sequence = 0;
};
std::optional<JobLead> decode_job_lead(std::string_view record, uint64_t number);
std::optional<JobRecord> decode_job(std::string_view record, uint64_t number);

}  // namespace fermata::record
