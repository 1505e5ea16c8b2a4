#pragma once
#include <functional>

#include "server/api.h"

namespace fermata::server::routes {

/// What happened to a workflow.
enum class Followed : uint8_t { definition, activation, deactivation, removal };

/// Lets the schedule of the workflow's trigger (G-32) follow: it is made, changed, paused, resumed
/// or removed as the current definition has it. Then `done`, on this thread or the partition's. A
/// failure is answered; the same request again puts things right.
void follow_trigger(Api& api, const Call& call, const WorkflowId& workflow, Followed what,
                    std::function<void(const Call&)> done);

}  // namespace fermata::server::routes
