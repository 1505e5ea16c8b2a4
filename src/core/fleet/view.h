#pragma once
#include "base/value.h"
#include "core/fleet/fleet.h"

/// What people see of the fleet.
namespace fermata::fleet::view {

/// `GET /workers/{id}`: what it said of itself, its load, when it was last heard, what it holds.
Value worker(const Registration& registration);
/// The same without its leases, for a list.
Value list_item(const Registration& registration);
/// `online`, `draining`, or `awaited` after a start.
std::string_view status_of(const Registration& registration);
/// `{percent?, message?, partial?}`
Value progress(const Progress& progress);
/// One of `GET /pools`: its terms and the topics that are mapped to it.
Value pool(const std::string& name, const PoolTable& table);
/// `GET /limits`: those of the account, and what it uses.
Value limits(const Queue& queue, Instant now, const AccountId& account);
/// `GET /jobs/{id}/placement`: who could take it, best first, or what keeps it and what would help.
Value placement(const Fleet& fleet, const job::Job& job, Instant now);
/// Says in a job that waits what keeps it, and the attempts that were made in vain.
void add_waiting(Value& out, const Fleet& fleet, const JobId& job, std::optional<Instant> since,
                 Instant now);
/// `GET /queues`: depth and age of the account's oldest job by topic and priority.
Value queues(const Queue& queue, Instant now, const AccountId& account);

}  // namespace fermata::fleet::view
