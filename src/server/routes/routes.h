#pragma once
#include "server/api.h"

/// The handlers of the route table, one file each (health.cpp and test_clock.cpp hold a few tiny
/// ones). Each answers its call exactly once, now or later.
namespace fermata::server::routes {

void healthz(Api& api, Call call);
void readyz(Api& api, Call call);
void version(Api& api, Call call);
void openapi(Api& api, Call call);
void metrics(Api& api, Call call);
void status_page(Api& api, Call call);
void overview(Api& api, Call call);
void open_session(Api& api, Call call);
void get_session(Api& api, Call call);
void close_session(Api& api, Call call);

void put_workflow(Api& api, Call call);
void get_workflow(Api& api, Call call);
void list_workflows(Api& api, Call call);
void delete_workflow(Api& api, Call call);
void delete_execution(Api& api, Call call);
void list_versions(Api& api, Call call);
void get_version(Api& api, Call call);
void delete_version(Api& api, Call call);
void activate_workflow(Api& api, Call call);
void deactivate_workflow(Api& api, Call call);
void rollback_workflow(Api& api, Call call);
void check_workflow(Api& api, Call call);

void start_execution(Api& api, Call call);
void list_executions(Api& api, Call call);
void get_execution(Api& api, Call call);
void get_history(Api& api, Call call);
void get_value(Api& api, Call call);
void get_snapshot(Api& api, Call call);
void stream_execution(Api& api, Call call);
void get_nodes(Api& api, Call call);
void get_node(Api& api, Call call);
void get_node_items(Api& api, Call call);
void stream_account(Api& api, Call call);

void cancel_execution(Api& api, Call call);
void pause_execution(Api& api, Call call);
void resume_execution(Api& api, Call call);
void retry_execution(Api& api, Call call);
void rerun_execution(Api& api, Call call);
void fork_execution(Api& api, Call call);
void signal_execution(Api& api, Call call);
void migrate_execution(Api& api, Call call);
void bulk_executions(Api& api, Call call);
void list_bulks(Api& api, Call call);
void get_bulk(Api& api, Call call);
void list_bulk_items(Api& api, Call call);
void stop_bulk(Api& api, Call call);

void receive_webhook(Api& api, Call call);

void create_credential(Api& api, Call call);
void list_credentials(Api& api, Call call);
void get_credential(Api& api, Call call);
void put_credential(Api& api, Call call);
void revoke_credential(Api& api, Call call);
void delete_credential(Api& api, Call call);
void reseal_credentials(Api& api, Call call);

void create_key(Api& api, Call call);
void list_keys(Api& api, Call call);
void get_key(Api& api, Call call);
void revoke_key(Api& api, Call call);
void list_audit(Api& api, Call call);

void get_test_clock(Api& api, Call call);
void set_test_clock(Api& api, Call call);
void advance_test_clock(Api& api, Call call);
void set_test_alarm(Api& api, Call call);
void demo_echo(Api& api, Call call);

}  // namespace fermata::server::routes
