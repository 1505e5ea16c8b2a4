#include "front/contact_request.h"
#include "front/fields.h"
#include "server/problem.h"
#include "server/routes/account_routes.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

Failure<Error> no_such_contact(const std::string& id) {
  return fail(ErrorCode::contact_not_found, "There is no contact `" + id + "`.");
}

Outcome<Value> shown_contact(Api& api, const Contact& contact) {
  WaitFilter filter;
  filter.account = contact.account;
  filter.contact_id = contact.id;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  FERMATA_TRY(page, api.reader().list_waits(filter, 1, {}));
  const WaitRecord* next = page.items.empty() ? nullptr : &page.items.front();
  auto zones = api.zones();
  return front::contact_view({contact, *zones, page.total, next});
}

void answer_contact(Api& api, const Call& call, int status, const Contact& contact) {
  auto value = shown_contact(api, contact);
  if (!value) return api.fail(call, value.error());
  http::Response response = json_response(status, *value);
  response.headers.emplace_back("ETag", etag_of(contact.version));
  call.send(std::move(response));
}

Outcome<contact::Command> change(const Call& call, bool replaces) {
  if (!front::is_valid_id(call.variable(0)))
    return fail(ErrorCode::invalid_id, "`" + call.variable(0) + "` cannot name a contact.");
  FERMATA_TRY(put, front::read_contact(call.body, replaces));
  FERMATA_TRY(wanted, wanted_revision(call.request));
  put.if_version = wanted;
  return contact::Command{{call.who.account, call.variable(0)}, std::move(put), call.who.actor};
}

void change_contact(Api& api, const Call& call, bool replaces) {
  auto command = change(call, replaces);
  if (!command) return api.fail(call, command.error());
  send_contact(api, call, *std::move(command),
               [](Api& told_api, const Call& asked, const ContactTold& told) {
                 // The partition's thread must not wait for the disk.
                 told_api.pool().submit_owed([&told_api, asked, told] {
                   answer_contact(told_api, asked, told.created ? 201 : 200, told.contact);
                 });
               });
}

}  // namespace

void send_contact(Api& api, Call call, contact::Command command, ContactDone done) {
  Call spare = call;
  bool taken = api.contact_intake().submit_contact(
      std::move(command),
      [&api, call = std::move(call), done = std::move(done)](Outcome<ContactTold> told) {
        if (!told) return api.fail(call, told.error());
        done(api, call, *told);
      });
  if (taken) return;
  bool stopping = api.stopping();
  api.fail(spare, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                   stopping ? "The server is stopping." : "The engine's queue is full.",
                   {}});
}

void get_contact(Api& api, Call call) {
  auto found = api.contacts().find_contact({call.who.account, call.variable(0)});
  if (!found) return api.fail(call, found.error());
  if (!*found) return api.fail(call, no_such_contact(call.variable(0)).value);
  answer_contact(api, call, 200, **found);
}

void put_contact(Api& api, Call call) { change_contact(api, call, true); }
void patch_contact(Api& api, Call call) { change_contact(api, call, false); }

void list_contacts(Api& api, Call call) {
  auto page = [&]() -> Outcome<Value> {
    FERMATA_TRY(filter, front::read_contact_filter(call.query, call.who.account));
    FERMATA_TRY(paging, front::read_paging(call.query));
    FERMATA_TRY(found, api.contacts().list_contacts(filter, paging.limit, paging.cursor));
    Value items = Value::array();
    for (const Contact& contact : found.items) {
      FERMATA_TRY(shown, shown_contact(api, contact));
      items.push(std::move(shown));
    }
    return page_value(std::move(items), found.next_cursor);
  }();
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
