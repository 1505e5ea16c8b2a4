#include "server/routes/bulk_job.h"

#include "host/job_intake.h"
#include "server/api.h"

namespace fermata::server::routes {

void act_on_job(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                BulkDone done) {
  job::Command command{JobId(item), job::CancelJob{bulk.reason}, bulk.actor, bulk.account};
  bool taken = api.jobs().submit_job(
      std::move(command), [done, item, repeated](const Outcome<JobTold>& told) {
        if (!told) return done(Failure{told.error()});
        bool cancelled = told->summary.state == job::State::cancelled;
        if (told->answer != job::Answer::terminal || (repeated && cancelled)) return done({});
        done(fail(ErrorCode::wrong_state, "The job `" + item + "` had ended."));
      });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace fermata::server::routes
