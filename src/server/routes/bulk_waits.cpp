#include <algorithm>

#include "front/fields.h"
#include "server/routes/bulk_request.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view wait_kind = "waits";
constexpr std::string_view wait_actions[] = {"resume", "cancel", "recompute", "hold", "release"};

/// What is selected, as it was at one moment.
struct SelectedWaits {
  std::vector<std::string> ids;
  std::vector<Wait> waits;
  std::vector<std::string> missing;  ///< ids that are no wait of this account
};

struct WaitAction {
  std::string name;
  Value parameters = Value::object();
};

Outcome<SelectedWaits> waits_by_filter(Api& api, WaitFilter filter) {
  // An action is about what has not ended; the rest could only refuse it.
  if (filter.statuses.empty()) filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  SelectedWaits out;
  WaitStart start;
  do {
    FERMATA_TRY(page, api.reader().list_waits(filter, front::page_limit_max, start));
    if (page.total > api.options().bulk_items_max) return too_many(api, "waits");
    for (WaitRecord& record : page.items) {
      out.ids.push_back(record.wait.id);
      out.waits.push_back(std::move(record.wait));
    }
    start.cursor = page.next_cursor;
  } while (!start.cursor.empty());
  return out;
}

Outcome<SelectedWaits> select_waits(Api& api, const Call& call, const BulkRequest& request) {
  if (!request.ids) {
    Value filter = request.filter.is_null() ? Value::object() : request.filter;
    FERMATA_TRY(waits, front::read_wait_filter(filter, call.who.account, api.now()));
    return waits_by_filter(api, std::move(waits));
  }
  SelectedWaits out;
  for (const std::string& id : *request.ids) {
    FERMATA_TRY(found, api.reader().find_wait(id));
    if (!found || found->account != call.who.account) {
      out.missing.push_back(id);
      continue;
    }
    out.ids.push_back(id);
    out.waits.push_back(std::move(found->wait));
  }
  return out;
}

Value wait_forecast(const WaitAction& action, const SelectedWaits& selection) {
  BulkForecast forecast;
  for (const Wait& wait : selection.waits) {
    bool stands = is_pending(wait.status) || (action.name == "resume" && wait.parked);
    forecast.add(name_of(wait.status), wait.id,
                 stands ? std::nullopt : std::optional(ErrorCode::wait_ended));
  }
  forecast.add_missing(ErrorCode::wait_not_found, selection.missing.size());
  return forecast.value();
}

WaitAction read_wait_action(front::Fields& fields) {
  WaitAction action{fields.text("action").value_or("")};
  fields.require("action");
  bool known = std::find(std::begin(wait_actions), std::end(wait_actions), action.name) !=
               std::end(wait_actions);
  if (!known && !action.name.empty())
    fields.wrong("action", "One of resume, cancel, recompute, hold, release is expected.");
  if (action.name == "resume")
    if (auto branch = fields.text("branch", 200)) action.parameters.set("branch", *branch);
  return action;
}

Outcome<void> serve_waits(Api& api, const Call& call) {
  front::Fields fields(call.body);
  WaitAction action;
  BulkRequest request = read_bulk_request(fields);
  // A token stands for everything that its dry run was asked; it may be said again.
  if (request.token.empty() || call.body.find("action")) action = read_wait_action(fields);
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY_VOID(check_bulk_request(request));
  BulkPreview preview{call.who.account, std::string(wait_kind), bulk_request_hash(call.body),
                      action.name,      action.parameters,      {}};
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  FERMATA_TRY(selection, select_waits(api, call, request));
  Value told = wait_forecast(action, selection);
  preview.items = std::move(selection.ids);
  if (request.dry_run) {
    answer_preview(api, call, std::move(preview), std::move(told));
    return {};
  }
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

}  // namespace

void bulk_waits(Api& api, Call call) {
  if (auto served = serve_waits(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
