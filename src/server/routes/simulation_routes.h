#pragma once
#include "server/api.h"

/// The handlers of simulations (simulation_table.cpp).
namespace fermata::server::routes {

void begin_simulation(Api& api, Call call);
void list_simulations(Api& api, Call call);
void get_simulation(Api& api, Call call);
void stop_simulation(Api& api, Call call);
void delete_simulation(Api& api, Call call);
void simulated_execution(Api& api, Call call);

}  // namespace fermata::server::routes
