#pragma once
#include "server/api.h"

/// Bodies of jobs for workers that are told where they lie, not what they are (wire_table.cpp).
namespace fermata::server::routes {

void get_wire_context(Api& api, Call call);
void get_wire_output(Api& api, Call call);
void put_wire_output(Api& api, Call call);

}  // namespace fermata::server::routes
