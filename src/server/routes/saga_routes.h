#pragma once
#include "server/api.h"

/// The handlers of sagas (saga_table.cpp).
namespace fermata::server::routes {

void get_saga(Api& api, Call call);
void list_sagas(Api& api, Call call);
void rollback_execution(Api& api, Call call);
void retry_undo(Api& api, Call call);
void skip_undo(Api& api, Call call);
void close_saga(Api& api, Call call);

/// The run that undoes an ended one: there is only one (J-73).
RunId rollback_run_of(const RunId& run);
/// Refuses when such a run was made.
Outcome<void> refuse_rolled_back(Api& api, const RunId& run);
/// Sends a word about entry `seq` of the run, and resolves the dead letter of the job that stood
/// for it.
void decide_undo(Api& api, Call call, const RunId& run, uint32_t seq, SagaOrder order,
                 Resolution resolution);

}  // namespace fermata::server::routes
