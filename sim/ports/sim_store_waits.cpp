#include "adapters/memory/wait_scans.h"
#include "sim/ports/sim_store.h"

/// What the engine asks of waits in the simulated store.
namespace fermata::sim {

namespace {

Failure<Error> waits_unreadable() {
  return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
}

}  // namespace

Outcome<std::vector<std::pair<AccountId, uint64_t>>> SimStore::counted_waits() {
  chaos_.port_call("store.counted_waits");
  if (chaos_.strikes(Fault::load_unavailable)) return waits_unreadable();
  return counted_in(waits_);
}

Outcome<std::vector<WaitRecord>> SimStore::limited_waits(size_t after, size_t limit) {
  chaos_.port_call("store.limited_waits");
  if (chaos_.strikes(Fault::load_unavailable)) return waits_unreadable();
  return limited_in(waits_, after, limit);
}

Outcome<std::vector<RunId>> SimStore::runs_of_other_zones(const std::string& version,
                                                          const RunId& after, size_t limit) {
  chaos_.port_call("store.runs_of_other_zones");
  if (chaos_.strikes(Fault::load_unavailable)) return waits_unreadable();
  return of_other_zones_in(waits_, version, after, limit);
}

}  // namespace fermata::sim
