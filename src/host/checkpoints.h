#pragma once
#include "host/host.h"
#include "host/run_cache.h"

namespace fermata {

/// The checkpoint to be written with a commit of `events`, if it is time for one. Keeps count in
/// `open`, which is forgotten when the commit fails.
///
/// A checkpoint is due by the number or the bytes of events since the last one, later for a run
/// that goes on at once or has ended than for one that parks. One that is larger than the history
/// it spares is not written, and tried again after twice as much.
std::optional<Checkpoint> checkpoint_due(OpenRun& open, const HistoryChunk& events,
                                         const HostSettings& settings);

}  // namespace fermata
