#include "base/hash.h"
#include "core/job/history.h"
#include "front/cap/identity.h"
#include "front/cap/pointer.h"
#include "front/run_query.h"
#include "server/routes/job_routes.h"
#include "server/routes/wire_routes.h"

namespace fermata::server::routes {
namespace {

std::string token_of(const Call& call) {
  const std::string* token = front::find_value(call.query, "token");
  return token ? *token : std::string();
}

/// The job that the token opens. Whoever has none does not learn whether there is such a job.
Outcome<job::Job> opened(Api& api, const Call& call) {
  JobId id(call.variable(0));
  FERMATA_TRY(stored, api.reader().find_job(id));
  Failure<Error> unknown = fail(ErrorCode::job_not_found, "There is no job that this token opens.");
  if (stored.version == 0) return unknown;
  FERMATA_TRY(job, job::fold(id, stored.history));
  if (!front::cap::opens(job, token_of(call))) return unknown;
  return job;
}

}  // namespace

void get_wire_context(Api& api, Call call) {
  auto job = opened(api, call);
  if (!job) return api.fail(call, job.error());
  auto input = payload_value(api, job->account, job->request.input);
  if (!input) return api.fail(call, input.error());
  call.send_json(200, *input);
}

void get_wire_output(Api& api, Call call) {
  auto job = opened(api, call);
  if (!job) return api.fail(call, job.error());
  if (job->state != job::State::succeeded)
    return api.fail(
        call, {ErrorCode::wrong_state, "The job is " + std::string(name_of(job->state)) + ".", {}});
  auto output = output_value(api, *job);
  if (!output) return api.fail(call, output.error());
  call.send_json(200, *output);
}

void put_wire_output(Api& api, Call call) {
  auto job = opened(api, call);
  if (!job) return api.fail(call, job.error());
  const job::Attempt* open = job->open_attempt();
  std::string token = token_of(call);
  bool holds = open && same_secret(front::cap::body_token(job->id, open->attempt, open->fence,
                                                          open->registration),
                                   token);
  if (!holds)
    return api.fail(call, {ErrorCode::wrong_state, "The attempt of this token is over.", {}});
  auto kept = api.job_files().put_blob(job->account, call.request.body, api.now());
  if (!kept) return api.fail(call, kept.error());
  std::string pointer = front::cap::blob_pointer("", {job->id.text(), kept->sha256, token});
  call.send_json(
      201,
      Value::object({{"result_ptr", pointer}, {"sha256", kept->sha256}, {"size", kept->bytes}}));
}

}  // namespace fermata::server::routes
