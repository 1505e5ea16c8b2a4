#pragma once
#include "server/api.h"
#include "server/routes/common.h"

/// The handlers of events, as signals are called here (event_table.cpp).
namespace fermata::server::routes {

void receive_events(Api& api, Call call);
void list_events(Api& api, Call call);
void get_event(Api& api, Call call);
void list_listeners(Api& api, Call call);

/// An event and what it has reached, as it is listed.
Value event_value(const SignalRecord& record);

}  // namespace fermata::server::routes
