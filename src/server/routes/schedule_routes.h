#pragma once
#include "host/schedule_intake.h"
#include "server/api.h"

/// The handlers of schedules (schedule_table.cpp), and what they share.
namespace fermata::server::routes {

void create_schedule(Api& api, Call call);
void put_schedule(Api& api, Call call);
void patch_schedule(Api& api, Call call);
void get_schedule(Api& api, Call call);
void list_schedules(Api& api, Call call);
void delete_schedule(Api& api, Call call);
void pause_schedule(Api& api, Call call);
void resume_schedule(Api& api, Call call);
void trigger_schedule(Api& api, Call call);
void backfill_schedule(Api& api, Call call);
void list_occurrences(Api& api, Call call);
void get_schedule_history(Api& api, Call call);
void get_schedule_preview(Api& api, Call call);
void preview_schedule(Api& api, Call call);

/// Puts a command into the engine's queue; `done` is called after its commit, on the partition's
/// thread. Refusals are answered here.
using ScheduleDone = std::function<void(Api&, const Call&, const ScheduleTold&)>;
void send_schedule(Api& api, Call call, schedule::Command command, ScheduleDone done);

/// The one of the path's first variable, for a command.
schedule::Key schedule_key(const Call& call);
/// As the store holds it; one that does not exist has no sequence.
Outcome<schedule::Schedule> stored_schedule(Api& api, const schedule::Key& key);
/// The one of the path's first variable, if there is one of this account.
Outcome<schedule::Schedule> own_schedule(Api& api, const Call& call);
/// Fails when the workflow, or the version that is asked for, is not there.
Outcome<void> know_workflow(Api& api, const Call& call, const schedule::Spec& spec);
/// The schedule with its ETag, which is the revision of its specification.
http::Response schedule_response(int status, const schedule::Schedule& schedule);

}  // namespace fermata::server::routes
