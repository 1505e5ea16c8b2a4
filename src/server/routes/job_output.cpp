#include "base/json.h"
#include "core/job/view.h"
#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

/// Results that are not for everybody (J-46, J-51).
namespace fermata::server::routes {
namespace {

job::Voter reviewer(const Call& call) {
  return {call.who.actor, std::string(name_of(call.who.role)), call.who.actor == "local"};
}

void send_review(Api& api, Call call, job::CommandBody body) {
  job::Command command{JobId(call.variable(0)), std::move(body), {}, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api&, const Call& asked, const JobTold& told) {
             asked.send_json(200, job::view::receipt(told.summary));
           });
}

/// After the reading was written down, on a worker thread.
void show(Api& api, const Call& call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  auto output = held_value(api, job->id);
  if (!output) return api.fail(call, output.error());
  Value shown = Value::object({{"id", job->id.text()},
                               {"state", name_of(job->state)},
                               {"output", *std::move(output)},
                               {"output_policy", job::view::output_policy(*job)}});
  if (job->held) {
    Value artifacts = Value::array();
    for (const job::Artifact& artifact : job->held->artifacts)
      artifacts.push(Value::object(
          {{"name", artifact.name}, {"sha256", artifact.sha256}, {"size", artifact.bytes}}));
    shown.set("artifacts", std::move(artifacts));
  }
  call.send_json(200, shown);
}

}  // namespace

Outcome<Value> held_value(Api& api, const JobId& job) {
  FERMATA_TRY(text, api.job_files().held_output(job));
  if (!text)
    return fail(ErrorCode::value_not_found, "No output of job `" + job.text() + "` is held.");
  return parse_json(*text, {.nesting_max = json_nesting_ceiling});
}

void get_held_output(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  // What was redacted is for admins alone.
  if (!job->held && job->keeps_original() && call.who.role < Role::admin)
    return api.fail(call,
                    {ErrorCode::forbidden, "The original of a redacted output is for admins.", {}});
  job::Command command{job->id, job::NoteReading{}, {}, call.who.account};
  send_job(api, std::move(call), std::move(command),
           [](Api& told, const Call& asked, const JobTold&) {
             told.pool().submit_owed([&told, asked] { show(told, asked); });
           });
}

void release_output(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string note = fields.text("note").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  job::ReleaseOutput release{reviewer(call), std::move(note)};
  if (job->held) {
    auto output = held_value(api, job->id);
    if (!output) return api.fail(call, output.error());
    release.output = job::Payload::of(*std::move(output));
  }
  send_review(api, std::move(call), std::move(release));
}

void discard_output(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  job::DiscardOutput discard{reviewer(call), std::move(reason)};
  send_review(api, std::move(call), std::move(discard));
}

}  // namespace fermata::server::routes
