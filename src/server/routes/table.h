#pragma once
#include <span>

#include "server/route.h"

namespace fermata::server {

struct ApiOptions;

/// Those of jobs and workers.
std::span<const Route> job_routes();

/// Those of schedules.
std::span<const Route> schedule_routes();

/// Those of accounts and contacts.
std::span<const Route> account_routes();

/// Those of waits.
std::span<const Route> wait_routes();

/// Those of approvals.
std::span<const Route> approval_routes();

/// Those of sagas.
std::span<const Route> saga_routes();

/// Those of events.
std::span<const Route> event_routes();

/// Those of waits for other engines.
std::span<const Route> callback_routes();

/// Those that look across things: search, statistics, calendar.
std::span<const Route> look_routes();

/// Those of policy.
std::span<const Route> policy_routes();

/// Those that look across things: search, statistics, calendar.
std::span<const Route> look_routes();

/// Those of simulations.
std::span<const Route> simulation_routes();

/// Those of bodies of jobs that are dispatched over a bus.
std::span<const Route> wire_routes();

/// Those that move the store to another.
std::span<const Route> promotion_routes();

/// Every route there is, in the order of /openapi.json. Which ones there are depends on the
/// options (the virtual clock, the demo). The table lives as long as the process.
std::span<const Route> route_table(const ApiOptions& options);

}  // namespace fermata::server
