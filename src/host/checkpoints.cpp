#include "host/checkpoints.h"

#include "core/run/checkpoint.h"

namespace fermata {

namespace {

/// A run that goes on at once stays in memory and has its largest state; one that has ended is
/// seldom opened again.
constexpr uint64_t patience_with_ready_work = 256;
constexpr uint64_t patience_with_ended = 16;
constexpr uint64_t reluctance_max = 1 << 20;

}  // namespace

std::optional<Checkpoint> checkpoint_due(OpenRun& open, const HistoryChunk& events,
                                         const HostSettings& settings) {
  Unspared& since = open.since_checkpoint;
  since.events += events.count;
  since.bytes += events.bytes.size();
  if (settings.checkpoint_events == 0) return std::nullopt;
  if (open.run.script) {
    // A parked script is what its machine holds, not what it has been through (F-45): every park is
    // written down, and what comes before the next one is folded upon it.
    if (open.run.script->fuel == since.script_fuel) return std::nullopt;
    since = {};
    since.script_fuel = open.run.script->fuel;
    return Checkpoint{open.run.last_sequence, encode_checkpoint(open.run)};
  }
  uint64_t times = since.reluctance;
  if (has_ready_work(open.run)) times *= patience_with_ready_work;
  if (open.run.finished()) times *= patience_with_ended;
  if (since.events / times < settings.checkpoint_events &&
      since.bytes / times < settings.checkpoint_bytes)
    return std::nullopt;
  Checkpoint checkpoint{open.run.last_sequence, encode_checkpoint(open.run)};
  if (checkpoint.bytes.size() > since.bytes && since.reluctance < reluctance_max) {
    since.reluctance *= 2;
    return std::nullopt;
  }
  since = {};
  return checkpoint;
}

}  // namespace fermata
