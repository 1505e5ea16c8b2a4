#include "core/callback/open_request.h"
#include "core/run/wait_view.h"
#include "front/fields.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

struct ChangeAsked {
  ChangeWait change;
  front::Occurrence occurrence;
  std::string type;
};

Outcome<ChangeAsked> read_change(const Call& call) {
  front::Fields fields(call.body);
  ChangeAsked asked;
  asked.change.config = fields.object("config");
  fields.add(callback::check_config_size(asked.change.config));
  std::string from = fields.text("from").value_or("start");
  if (from != "start" && from != "now") fields.wrong("from", "`start` or `now` is expected.");
  asked.change.from_now = from == "now";
  asked.occurrence = occurrence_in(fields);
  asked.type = fields.text("wait_type").value_or("");
  FERMATA_TRY_VOID(fields.finish());
  return asked;
}

Failure<Error> type_is_fixed(const WaitRecord& record) {
  return fail(ErrorCode::type_fixed, "The wait is of type " + record.wait.type + ".",
              {{"type_fixed", "/wait_type", "the type cannot be changed", {}}});
}

void change_each(Api& api, const Call& call, const ChangeAsked& asked,
                 const std::vector<WaitRecord>& waits) {
  for (const WaitRecord& record : waits)
    if (is_pending(record.wait.status) && !asked.type.empty() && asked.type != record.wait.type)
      return api.fail(call, type_is_fixed(record).value);
  send_to_each(api, call, waits, "changed", [&](const std::string& wait) {
    ChangeWait one = asked.change;
    one.wait = wait;
    return one;
  });
}

}  // namespace

void change_wait(Api& api, Call call) {
  auto asked = read_change(call);
  if (!asked) return api.fail(call, asked.error());
  auto waits = waits_at_step(api, call);
  if (!waits) return api.fail(call, waits.error());
  if (asked->occurrence.all) return change_each(api, call, *asked, *waits);
  auto record = chosen(*waits, asked->occurrence);
  if (!record) return api.fail(call, record.error());
  if (!is_pending(record->wait.status)) return api.fail(call, wait_ended(*record).value);
  if (!asked->type.empty() && asked->type != record->wait.type)
    return api.fail(call, type_is_fixed(*record).value);
  asked->change.wait = record->wait.id;
  send_to_wait(api, std::move(call), *record, std::move(asked->change),
               [](Api& told, const Call& who, const WaitRecord& wait) {
                 who.send_json(200, view::wait(wait, told.now()));
               });
}

}  // namespace fermata::server::routes
