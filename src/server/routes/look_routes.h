#pragma once
#include "server/api.h"

/// The handlers of what looks across things (look_table.cpp): search, statistics, calendar, load,
/// saved views.
namespace fermata::server::routes {

void calendar(Api& api, Call call);
void search(Api& api, Call call);
void execution_stats(Api& api, Call call);
void execution_state(Api& api, Call call);
void execution_tree(Api& api, Call call);
void workflow_load(Api& api, Call call);
void workflow_diff(Api& api, Call call);
void verify_audit(Api& api, Call call);
void system_facts(Api& api, Call call);
void cluster(Api& api, Call call);

void list_views(Api& api, Call call);
void create_view(Api& api, Call call);
void get_view(Api& api, Call call);
void change_view(Api& api, Call call);
void remove_view(Api& api, Call call);

}  // namespace fermata::server::routes
