#include <algorithm>

#include "front/fields.h"
#include "front/run_query.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

/// Views that people have saved of lists (U-13): private to whoever made them, or shared by all of
/// the account.
namespace fermata::server::routes {
namespace {

constexpr size_t views_max = 1'000;        ///< of one account
constexpr size_t views_own_max = 100;      ///< of one owner
constexpr size_t query_bytes_max = 2'000;  ///< of one text of its query
constexpr std::string_view pages[] = {"runs",      "workflows", "waits",   "jobs",
                                      "approvals", "dlq",       "workers", "schedules",
                                      "audit",     "contacts",  "policy"};

bool sees(const Principal& who, const SavedView& view) {
  return view.shared || view.owner == who.actor;
}

/// Whoever made it may change it; what all see, administrators too.
bool may_change(const Principal& who, const SavedView& view) {
  return view.owner == who.actor || (view.shared && role_allows(who.role, Role::admin));
}

Value view_value(const SavedView& view, const Principal& who) {
  return Value::object({{"id", view.id},
                        {"page", view.page},
                        {"name", view.name},
                        {"query", view.query},
                        {"shared", view.shared},
                        {"owner", view.owner},
                        {"may_change", may_change(who, view)},
                        {"created_at", to_rfc3339(view.created_at)},
                        {"updated_at", to_rfc3339(view.updated_at)},
                        {"revision", view.revision}});
}

http::Response view_response(int status, const SavedView& view, const Principal& who) {
  http::Response response = json_response(status, view_value(view, who));
  response.headers.emplace_back("ETag", etag_of(view.revision));
  return response;
}

bool is_page(std::string_view name) {
  return std::find(std::begin(pages), std::end(pages), name) != std::end(pages);
}

/// What nobody else may see does not exist for them.
Outcome<SavedView> seen_view(Api& api, const Call& call) {
  FERMATA_TRY(found, api.views().view(call.who.account, call.variable(0)));
  if (!found || !sees(call.who, *found))
    return fail(ErrorCode::value_not_found, "There is no view `" + call.variable(0) + "`.");
  return *std::move(found);
}

Outcome<SavedView> changeable_view(Api& api, const Call& call) {
  FERMATA_TRY(view, seen_view(api, call));
  if (may_change(call.who, view)) return view;
  return fail(ErrorCode::forbidden, "Only whoever made the view or an administrator changes it.");
}

void read_query(front::Fields& fields, SavedView& view) {
  const Value* query = fields.any("query");
  if (!query) return;
  if (!query->is_object()) return fields.wrong("query", "An object of texts is expected.");
  for (const Value::Member& member : query->members())
    if (!member.value.is_string() || member.value.as_string().size() > query_bytes_max)
      return fields.wrong("query", "Each of its values is a text of at most " +
                                       std::to_string(query_bytes_max) + " bytes.");
  if (query->size() > 100) return fields.wrong("query", "At most 100 values are expected.");
  view.query = *query;
}

/// What the body says, put over `view`. A new one needs a page and a name.
Outcome<void> read_view(const Call& call, SavedView& view, bool fresh) {
  front::Fields fields(call.body);
  if (auto page = fields.text("page", 50)) {
    if (!is_page(*page)) fields.wrong("page", "`" + *page + "` is no page with a list.");
    if (!fresh && *page != view.page) fields.wrong("page", "A view stays on its page.");
    view.page = *page;
  }
  if (auto name = fields.text("name", 100)) {
    if (name->empty() || !front::is_plain_text(*name, 100))
      fields.wrong("name", "1 to 100 bytes of plain text are expected.");
    view.name = *name;
  }
  read_query(fields, view);
  if (auto shared = fields.boolean("shared")) view.shared = *shared;
  if (fresh) fields.require("page");
  if (fresh) fields.require("name");
  FERMATA_TRY_VOID(fields.finish());
  if (view.shared && !role_allows(call.who.role, Role::operator_))
    return fail(ErrorCode::forbidden, "Sharing a view needs the role operator.");
  return {};
}

Outcome<void> check_room(Api& api, const Call& call) {
  FERMATA_TRY(all, api.views().views(call.who.account));
  auto own = std::count_if(all.begin(), all.end(),
                           [&](const SavedView& view) { return view.owner == call.who.actor; });
  if (all.size() < views_max && static_cast<size_t>(own) < views_own_max) return {};
  return fail(ErrorCode::invalid_field, "There are " + std::to_string(views_own_max) +
                                            " views of one owner, or " + std::to_string(views_max) +
                                            " of one account, at most; remove some.");
}

Outcome<SavedView> made_view(Api& api, const Call& call) {
  SavedView view;
  view.query = Value::object();
  FERMATA_TRY_VOID(read_view(call, view, true));
  FERMATA_TRY_VOID(check_room(api, call));
  view.account = call.who.account;
  view.id = api.new_uuid_v7();
  view.owner = call.who.actor;
  view.created_at = view.updated_at = api.now();
  view.revision = 1;
  AuditLine line = api.audit(call, "view.create", view.id);
  line.details = Value::object({{"page", view.page}, {"shared", view.shared}});
  FERMATA_TRY_VOID(api.views().put_view(view, line));
  return view;
}

Outcome<SavedView> changed_view(Api& api, const Call& call) {
  FERMATA_TRY(wanted, wanted_revision(call.request));
  FERMATA_TRY(view, changeable_view(api, call));
  if (wanted && *wanted != view.revision)
    return fail(ErrorCode::version_conflict, "The view was changed meanwhile.");
  FERMATA_TRY_VOID(read_view(call, view, false));
  ++view.revision;
  view.updated_at = api.now();
  AuditLine line = api.audit(call, "view.change", view.id);
  line.details = Value::object({{"page", view.page}, {"shared", view.shared}});
  FERMATA_TRY_VOID(api.views().put_view(view, line));
  return view;
}

Outcome<Value> views_value(Api& api, const Call& call) {
  const std::string* page = front::find_value(call.query, "page");
  if (page && !is_page(*page))
    return front::bad_query("page", "`" + *page + "` is no page with a list.");
  FERMATA_TRY(all, api.views().views(call.who.account));
  Value items = Value::array();
  for (const SavedView& view : all)
    if (sees(call.who, view) && (!page || view.page == *page))
      items.push(view_value(view, call.who));
  return page_value(std::move(items), "");
}

Outcome<void> removed_view(Api& api, const Call& call) {
  FERMATA_TRY(view, changeable_view(api, call));
  return api.views().remove_view(call.who.account, view.id,
                                 api.audit(call, "view.remove", view.id));
}

}  // namespace

void list_views(Api& api, Call call) {
  auto views = views_value(api, call);
  if (!views) return api.fail(call, views.error());
  call.send_json(200, *views);
}

void create_view(Api& api, Call call) {
  auto view = made_view(api, call);
  if (!view) return api.fail(call, view.error());
  http::Response response = view_response(201, *view, call.who);
  response.headers.emplace_back("Location", "/api/v1/views/" + view->id);
  call.send(std::move(response));
}

void get_view(Api& api, Call call) {
  auto view = seen_view(api, call);
  if (!view) return api.fail(call, view.error());
  call.send(view_response(200, *view, call.who));
}

void change_view(Api& api, Call call) {
  auto view = changed_view(api, call);
  if (!view) return api.fail(call, view.error());
  call.send(view_response(200, *view, call.who));
}

void remove_view(Api& api, Call call) {
  auto removed = removed_view(api, call);
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
