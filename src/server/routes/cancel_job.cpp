#include "core/job/view.h"
#include "front/fields.h"
#include "front/job_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {

void cancel_job(Api& api, Call call) {
  front::Fields fields(call.body);
  job::CancelJob cancel{fields.text("reason").value_or("")};
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  job::Command command{JobId(call.variable(0)), std::move(cancel), {}, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api&, const Call& asked, const JobTold& told) {
             Value answer = job::view::receipt(told.summary);
             if (told.answer == job::Answer::terminal) answer.set("already_terminal", true);
             asked.send_json(200, answer);
           });
}

void amend_job(Api& api, Call call) {
  auto amend = front::read_amend(call.body);
  if (!amend) return api.fail(call, amend.error());
  job::Command command{JobId(call.variable(0)), *std::move(amend), {}, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api&, const Call& asked, const JobTold& told) {
             asked.send_json(200, job::view::receipt(told.summary));
           });
}

}  // namespace fermata::server::routes
