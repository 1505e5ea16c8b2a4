#include "front/fields.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

struct ResumeAsked {
  ResumeWait resume;
  front::Occurrence occurrence;
};

Outcome<ResumeAsked> read_resume(const Call& call, bool with_occurrence) {
  front::Fields fields(call.body);
  ResumeAsked asked;
  asked.resume.reason = fields.text("reason").value_or("");
  if (const Value* output = fields.any("output")) asked.resume.output = *output;
  asked.resume.branch = fields.text("branch", 200).value_or("");
  asked.resume.dry_run = fields.boolean("dry_run").value_or(false);
  if (with_occurrence) asked.occurrence = occurrence_in(fields);
  FERMATA_TRY_VOID(fields.finish());
  return asked;
}

}  // namespace

void resume_wait(Api& api, Call call) {
  auto asked = read_resume(call, true);
  if (!asked) return api.fail(call, asked.error());
  auto waits = waits_at_step(api, call);
  if (!waits) return api.fail(call, waits.error());
  if (asked->occurrence.all)
    return send_to_each(api, call, *waits, "resumed", [&](const std::string& wait) {
      ResumeWait one = asked->resume;
      one.wait = wait;
      return one;
    });
  auto record = chosen(*waits, asked->occurrence);
  if (!record) return api.fail(call, record.error());
  resume_chosen(api, std::move(call), *record, std::move(asked->resume));
}

void resume_wait_by_id(Api& api, Call call) {
  auto asked = read_resume(call, false);
  if (!asked) return api.fail(call, asked.error());
  auto record = own_wait(api, call);
  if (!record) return api.fail(call, record.error());
  resume_chosen(api, std::move(call), *record, std::move(asked->resume));
}

}  // namespace fermata::server::routes
