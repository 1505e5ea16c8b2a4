#include "front/fields.h"
#include "front/settings_request.h"
#include "server/problem.h"
#include "server/routes/account_routes.h"
#include "server/routes/common.h"
#include "server/wait_sweep.h"

namespace fermata::server::routes {
namespace {

/// The account of the path, or the caller's own.
Outcome<AccountId> meant_account(const Call& call) {
  if (call.variable(0).empty()) return call.who.account;
  if (!front::is_valid_id(call.variable(0)))
    return fail(ErrorCode::invalid_id, "`" + call.variable(0) + "` cannot name an account.");
  return AccountId(call.variable(0));
}

Outcome<AccountRecord> known_settings(Api& api, const AccountId& account) {
  FERMATA_TRY(found, api.account_book().store().account(account));
  AccountRecord record;
  record.account = account;
  return found.value_or(record);
}

http::Response settings_response(int status, const AccountRecord& record) {
  http::Response response = json_response(status, front::settings_view(record));
  response.headers.emplace_back("ETag", etag_of(record.revision));
  return response;
}

struct Changed {
  AccountRecord record;
  bool is_new = false;
};

Outcome<Changed> change(Api& api, const Call& call, bool replaces) {
  FERMATA_TRY(account, meant_account(call));
  FERMATA_TRY(wanted, wanted_revision(call.request));
  FERMATA_TRY(known, known_settings(api, account));
  FERMATA_TRY(next,
              front::changed_settings(api.vault(), known, {call.body, replaces, wanted, api.now()},
                                      *api.zones()));
  AuditLine line = api.audit(call, "settings.changed", account.text());
  line.account = account;
  line.details = Value::object({{"from", known.settings}, {"to", next.settings}});
  FERMATA_TRY_VOID(api.account_book().put(next, line));
  return Changed{std::move(next), known.revision == 0};
}

void change_settings(Api& api, const Call& call, bool replaces) {
  auto changed = change(api, call, replaces);
  if (!changed) return api.fail(call, changed.error());
  // An account that has a path of its own is made by its first settings.
  bool created = changed->is_new && !call.variable(0).empty() && replaces;
  auto answer = [call, created, record = changed->record](const Outcome<Swept>&) {
    call.send(settings_response(created ? 201 : 200, record));
  };
  const Value& off = changed->record.settings.get("waits").get("resumes_off");
  if (off == Value(true)) return answer(Swept{});
  // What was held while resumes were off goes on now.
  sweep_waits(api,
              {.account = changed->record.account,
               .action = "release",
               .hold = "resumes_off",
               .actor = call.who.actor},
              answer);
}

}  // namespace

void get_settings(Api& api, Call call) {
  auto account = meant_account(call);
  if (!account) return api.fail(call, account.error());
  auto record = known_settings(api, *account);
  if (!record) return api.fail(call, record.error());
  call.send(settings_response(200, *record));
}

void put_settings(Api& api, Call call) { change_settings(api, call, true); }
void patch_settings(Api& api, Call call) { change_settings(api, call, false); }

}  // namespace fermata::server::routes
