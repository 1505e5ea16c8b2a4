#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ports/store.h"

namespace fermata::record {

/// A schedule's row, sealed as every record (record.h).
struct ScheduleRecord {
  uint64_t version = 0;
  uint64_t history_from = 1;  ///< what lies before is let go
  std::optional<Checkpoint> checkpoint;
  schedule::ScheduleSummary summary;
};
std::string encode_schedule(const ScheduleRecord& record, uint64_t number);
std::optional<ScheduleRecord> decode_schedule(std::string_view record, uint64_t number);

}  // namespace fermata::record
