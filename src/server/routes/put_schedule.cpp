#include "front/fields.h"
#include "front/schedule_request.h"
#include "front/start_request.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<void> refuse_other_id(const Call& call, const std::string& named) {
  if (named.empty() || named == call.variable(0)) return {};
  return fail(ErrorCode::invalid_field, "/id: The address names another schedule.",
              {{"invalid_field", "/id", "The address names another schedule.", {}}});
}

Outcome<void> refuse_other_revision(const schedule::Schedule& there,
                                    std::optional<uint64_t> wanted) {
  uint64_t revision = there.exists() ? there.revision : 0;
  if (!wanted || *wanted == revision) return {};
  return fail(ErrorCode::version_conflict,
              revision == 0 ? "The schedule does not exist."
                            : "The schedule is at revision " + std::to_string(revision) + ".");
}

Outcome<schedule::Command> schedule_replacement(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  FERMATA_TRY(there, stored_schedule(api, schedule_key(call)));
  bool known_name = front::is_valid_id(id) && id.find(':') == std::string::npos;
  if (!there.exists() && !known_name)
    return fail(ErrorCode::invalid_id, "`" + id + "` cannot name a schedule.");
  FERMATA_TRY(request, front::read_schedule(call.body, *api.zones()));
  FERMATA_TRY_VOID(refuse_other_id(call, request.id));
  FERMATA_TRY_VOID(know_workflow(api, call, request.spec));
  FERMATA_TRY(wanted, wanted_revision(call.request));
  FERMATA_TRY_VOID(refuse_other_revision(there, wanted));
  schedule::Command command{schedule_key(call), {}, call.who.actor};
  if (there.exists()) {
    request.spec.trigger_node = there.spec.trigger_node;
    command.body =
        schedule::UpdateSchedule{std::move(request.spec), wanted, request.paused.value_or(false)};
  } else {
    command.body = schedule::CreateSchedule{std::move(request.spec), request.paused.value_or(false),
                                            front::request_hash("POST /schedules", call.body)};
  }
  return command;
}

Outcome<schedule::Command> schedule_change(Api& api, const Call& call) {
  FERMATA_TRY(there, own_schedule(api, call));
  FERMATA_TRY(request, front::read_schedule_change(call.body, there.spec, *api.zones()));
  FERMATA_TRY_VOID(refuse_other_id(call, request.id));
  FERMATA_TRY_VOID(know_workflow(api, call, request.spec));
  FERMATA_TRY(wanted, wanted_revision(call.request));
  // What is left out of the body was read at this revision and must not have changed since.
  return schedule::Command{
      schedule_key(call),
      schedule::UpdateSchedule{std::move(request.spec), wanted.value_or(there.revision),
                               request.paused},
      call.who.actor};
}

}  // namespace

/// Makes the schedule or replaces it as a whole.
void put_schedule(Api& api, Call call) {
  auto command = schedule_replacement(api, call);
  if (!command) return api.fail(call, command.error());
  bool creates = std::holds_alternative<schedule::CreateSchedule>(command->body);
  send_schedule(api, std::move(call), *std::move(command),
                [creates](Api&, const Call& asked, const ScheduleTold& told) {
                  asked.send(schedule_response(creates && told.changed ? 201 : 200, told.schedule));
                });
}

/// Changes what the body names.
void patch_schedule(Api& api, Call call) {
  auto command = schedule_change(api, call);
  if (!command) return api.fail(call, command.error());
  send_schedule(api, std::move(call), *std::move(command),
                [](Api&, const Call& asked, const ScheduleTold& told) {
                  asked.send(schedule_response(200, told.schedule));
                });
}

}  // namespace fermata::server::routes
