#include "front/worker_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {

void heartbeat(Api& api, Call call) {
  auto read = front::read_heartbeat(call.body);
  if (!read) return api.fail(call, read.error());
  RegistrationId id = read->registration;
  visit_registration(api, std::move(call), id,
                     [&api, request = *std::move(read)](Workers& workers, const Call& asked) {
                       auto answer = workers.heartbeat(request.registration, request.beat);
                       if (!answer) return api.fail(asked, answer.error());
                       auto known = workers.fleet().registrations().find(request.registration);
                       if (known != workers.fleet().registrations().end())
                         worker_changed(api, asked.who.account, known->second.card.worker.text());
                       asked.send_json(200, Value::object({{"lost", lease_list(answer->lost)},
                                                           {"cancels", lease_list(answer->cancels)},
                                                           {"drain", answer->drain},
                                                           {"lease_ms", answer->lease_ms}}));
                     });
}

void renew_lease(Api& api, Call call) {
  auto read = front::read_renew(call.body);
  if (!read) return api.fail(call, read.error());
  RegistrationId id = read->registration;
  visit_registration(api, std::move(call), id,
                     [&api, request = *std::move(read)](Workers& workers, const Call& asked) {
                       fleet::LeaseKey lease{JobId(asked.variable(0)), request.fence};
                       auto answer = workers.renew(request.registration, lease, request.progress);
                       if (!answer) return api.fail(asked, answer.error());
                       using Renewal = fleet::Fleet::Renewal;
                       const char* word = *answer == Renewal::ok     ? "ok"
                                          : *answer == Renewal::lost ? "lost"
                                                                     : "cancel";
                       asked.send_json(200, Value::object({{"answer", word}}));
                     });
}

}  // namespace fermata::server::routes
