#pragma once
#include "front/fields.h"
#include "front/wait_query.h"
#include "ports/reader.h"
#include "server/api.h"
#include "server/routes/common.h"

/// The handlers of waits (wait_table.cpp), and what they share.
namespace fermata::server::routes {

void get_wait(Api& api, Call call);
void cancel_wait(Api& api, Call call);
void resume_wait(Api& api, Call call);
void change_wait(Api& api, Call call);
void list_waits(Api& api, Call call);
void list_pending_waits(Api& api, Call call);
void list_overdue_waits(Api& api, Call call);
void get_wait_by_id(Api& api, Call call);
void cancel_wait_by_id(Api& api, Call call);
void resume_wait_by_id(Api& api, Call call);
void preview_wait(Api& api, Call call);
void wait_calendar(Api& api, Call call);
void wait_stats(Api& api, Call call);
void bulk_waits(Api& api, Call call);

/// Every wait at the step of the path (execution, step), if the execution is the caller's.
Outcome<std::vector<WaitRecord>> waits_at_step(Api& api, const Call& call);
/// The one that `occurrence` names; without a number the only pending one, else the newest.
Outcome<WaitRecord> chosen(const std::vector<WaitRecord>& waits,
                           const front::Occurrence& occurrence);
/// The wait of the path's id, if it is the caller's.
Outcome<WaitRecord> own_wait(Api& api, const Call& call);
Failure<Error> wait_ended(const WaitRecord& record);

/// Sends a command to the run of a wait. `done` is told the wait as the commit left it, on a
/// thread that may block; a refusal is answered here.
using WaitDone = std::function<void(Api&, const Call&, const WaitRecord&)>;
void send_to_wait(Api& api, Call call, const WaitRecord& record, CommandBody body, WaitDone done);
/// `occurrence` of a body: a number from 1, or `all`.
front::Occurrence occurrence_in(front::Fields& fields);
/// Sends a command to each pending one of `waits` (W-3) and answers {success, `counted`: n}, or why
/// none of them took it. What ends meanwhile is not counted.
void send_to_each(Api& api, const Call& call, const std::vector<WaitRecord>& waits,
                  std::string_view counted,
                  const std::function<CommandBody(const std::string& wait)>& body);
/// What cancel and resume do once it is known which wait is meant.
void cancel_chosen(Api& api, Call call, const WaitRecord& record, std::string reason);
void resume_chosen(Api& api, Call call, const WaitRecord& record, ResumeWait resume);

}  // namespace fermata::server::routes
