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
/// `GET /queues`: depth and age of the account's oldest job by topic and priority.
Value queues(const Queue& queue, Instant now, const AccountId& account);

}  // namespace fermata::fleet::view
