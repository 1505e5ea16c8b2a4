#pragma once
#include "server/routes/common.h"

/// The handlers of waits for other engines (callback_table.cpp), and what they share.
namespace fermata::server::routes {

void open_wait(Api& api, Call call);
void register_execution(Api& api, Call call);
void complete_execution(Api& api, Call call);
void list_callbacks(Api& api, Call call);
void redeliver_callback(Api& api, Call call);

/// True when the body of a PUT says that the workflow has no program.
bool asks_for_external(const Call& call);
void put_external(Api& api, const Call& call);

/// Stores a workflow without a program, with something to sign its callbacks with; answers that
/// secret when it was made just now, else nothing.
struct ExternalStored {
  WorkflowStored stored;
  std::string hash;
  std::string new_secret;  ///< shown once
};
Outcome<ExternalStored> store_external(Api& api, const Call& call, WorkflowPut put,
                                       const Value& document);

/// The start of a run without a program.
StartRun external_start(const AccountId& account, const front::ResolvedWorkflow& workflow);

}  // namespace fermata::server::routes
