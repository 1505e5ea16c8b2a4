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
  std::string from = fields.text("from").value_or("start");
  if (from != "start" && from != "now") fields.wrong("from", "`start` or `now` is expected.");
  asked.change.from_now = from == "now";
  if (auto number = fields.integer("occurrence", 1, UINT32_MAX))
    asked.occurrence.number = static_cast<uint32_t>(*number);
  asked.type = fields.text("wait_type").value_or("");
  FERMATA_TRY_VOID(fields.finish());
  return asked;
}

}  // namespace

void change_wait(Api& api, Call call) {
  auto asked = read_change(call);
  if (!asked) return api.fail(call, asked.error());
  auto waits = waits_at_step(api, call);
  if (!waits) return api.fail(call, waits.error());
  auto record = chosen(*waits, asked->occurrence);
  if (!record) return api.fail(call, record.error());
  if (!is_pending(record->wait.status)) return api.fail(call, wait_ended(*record).value);
  if (!asked->type.empty() && asked->type != record->wait.type)
    return api.fail(call, {ErrorCode::type_fixed,
                           "The wait is of type " + record->wait.type + ".",
                           {{"type_fixed", "/wait_type", "the type cannot be changed", {}}}});
  asked->change.wait = record->wait.id;
  send_to_wait(api, std::move(call), *record, std::move(asked->change),
               [](Api& told, const Call& who, const WaitRecord& wait) {
                 who.send_json(200, view::wait(wait, told.now()));
               });
}

}  // namespace fermata::server::routes
