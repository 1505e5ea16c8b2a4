#pragma once
#include "front/policy_board.h"
#include "server/api.h"

/// The handlers of policy (policy_table.cpp).
namespace fermata::server::routes {

void get_policy(Api& api, Call call);
void list_policy_rules(Api& api, Call call);
void list_policy_versions(Api& api, Call call);
void list_policy_bundles(Api& api, Call call);
void list_decisions(Api& api, Call call);
void list_job_decisions(Api& api, Call call);
void list_velocity(Api& api, Call call);

void list_breakers(Api& api, Call call);
void reset_breaker(Api& api, Call call);

void validate_policy(Api& api, Call call);
void simulate_policy(Api& api, Call call);
void explain_policy(Api& api, Call call);
void rehearse_policy(Api& api, Call call);

void put_bundle(Api& api, Call call);
void delete_bundle(Api& api, Call call);
void put_base_policy(Api& api, Call call);
void put_invariants(Api& api, Call call);
void delete_invariants(Api& api, Call call);
void publish_policy(Api& api, Call call);
void rollback_policy(Api& api, Call call);
void reload_policy(Api& api, Call call);

/// What is in force for the caller: snapshot, where it comes from, and whether the file could be
/// read.
Value policy_status(Api& api, const AccountId& account);

}  // namespace fermata::server::routes
