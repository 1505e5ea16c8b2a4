#include <cstdint>

#include "core/fleet/worker.h"
#include "core/job/history.h"
#include "core/job/view.h"

/// Stored bytes of jobs and registrations that were damaged or forged are refused, or mean a state
/// that can be shown and written again; never a crash.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (uint32_t count : {1u, 3u}) {
    HistoryChunk chunk{1, count, bytes};
    auto events = job::decode_history(chunk);
    if (!events) continue;
    (void)job::encode_history(*events);
    auto state = job::fold(JobId("j"), {chunk});
    if (!state) continue;
    (void)job::view::job(*state, Instant{});
    (void)job::summarize(*state, Instant{});
    (void)job::view::history({chunk}, 1, 100);
  }
  if (auto record = fleet::decode_registration(bytes)) (void)fleet::encode(*record);
  return 0;
}
