#include "front/worker_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {

void claim_jobs(Api& api, Call call) {
  auto read = front::read_claim(call.body);
  if (!read) return api.fail(call, read.error());
  RegistrationId id = read->registration;
  visit_registration(api, std::move(call), id,
                     [&api, request = *std::move(read)](Workers& workers, const Call& asked) {
                       workers.claim(
                           request.registration, request.seq, request.slots, request.wait_ms,
                           [&api, asked](Outcome<Workers::Claimed> claimed) {
                             if (!claimed) return api.fail(asked, claimed.error());
                             Value jobs = Value::array();
                             for (Value& job : claimed->jobs) jobs.push(std::move(job));
                             asked.send_json(
                                 200, Value::object({{"jobs", std::move(jobs)},
                                                     {"cancels", lease_list(claimed->cancels)},
                                                     {"drain", claimed->drain}}));
                           });
                     });
}

}  // namespace fermata::server::routes
