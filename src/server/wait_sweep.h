#pragma once
#include <functional>
#include <string>

#include "ports/bulk.h"
#include "ports/reader.h"
#include "server/bulk.h"

namespace fermata::server {

class Api;

/// What is done to pending waits because their workflow or account was switched. The rule that asks
/// for it is in force before: from then on no wait goes on against it, and this brings the rest
/// into line. It is a bulk operation, so that it goes on after a restart.
struct WaitSweep {
  AccountId account;
  WorkflowId workflow{};    ///< empty: of all workflows
  std::string action{};     ///< cancel, hold or release
  std::string hold{};       ///< why they are held: workflow_inactive or resumes_off
  bool typed_only = false;  ///< only waits of the four types
  std::string actor = "engine";
  std::string reason{};
};
struct Swept {
  uint64_t waits = 0;
  uint64_t executions = 0;
  std::string bulk_id;  ///< not empty while it is still under way
};
/// Calls `done` once, on any thread, when nothing is left to do or after ten seconds.
void sweep_waits(Api& api, WaitSweep sweep, std::function<void(const Outcome<Swept>&)> done);
/// At start: brings into line what a stop in between has left.
Outcome<void> resume_sweeps(Api& api);

/// One wait of such an operation, as a kind of bulk operations.
void act_on_swept_wait(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                       BulkDone done);

}  // namespace fermata::server
