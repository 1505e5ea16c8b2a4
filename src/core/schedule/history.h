#pragma once
#include <vector>

#include "base/error.h"
#include "core/model/summary.h"
#include "core/schedule/event.h"

namespace fermata::schedule {

/// The binary form of the events of one commit (core/model/chunk_codec.h). A record written
/// before a field was added reads with that field's default.
HistoryChunk encode_history(const std::vector<Event>& events);
/// Fails with data_damaged when the bytes are not what encode_history writes.
Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk);
/// The state that a history means.
Outcome<Schedule> fold(const ScheduleId& id, const std::vector<HistoryChunk>& history);
/// The same, from the state that an earlier part of it meant.
Outcome<Schedule> fold_on(Schedule from, const std::vector<HistoryChunk>& history);

}  // namespace fermata::schedule
