#include "front/worker_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {

void register_worker(Api& api, Call call) {
  // A key speaks for its own account.
  auto read = front::read_register(call.body, {call.who.account.text()}, {});
  if (!read) return api.fail(call, read.error());
  RegistrationId id(api.new_uuid_v7());
  visit_workers(api, std::move(call),
                [&api, id, request = *std::move(read)](Workers& workers, const Call& asked) {
                  auto enrolled = workers.enroll(id, request.card, request.resume);
                  worker_changed(api, asked.who.account, request.card.worker.text());
                  asked.send_json(200, Value::object({{"registration_id", id.text()},
                                                      {"lease_ms", enrolled.lease_ms},
                                                      {"heartbeat_ms", enrolled.heartbeat_ms},
                                                      {"server_time", to_rfc3339(api.now())},
                                                      {"resumed", lease_list(enrolled.resumed)},
                                                      {"lost", lease_list(enrolled.lost)}}));
                });
}

void leave_worker(Api& api, Call call) {
  RegistrationId id(call.variable(0));
  visit_registration(api, std::move(call), id, [&api, id](Workers& workers, const Call& asked) {
    auto gone = workers.dismiss(id);
    if (!gone) return api.fail(asked, gone.error());
    http::Response response;
    response.status = 204;
    asked.send(std::move(response));
  });
}

}  // namespace fermata::server::routes
