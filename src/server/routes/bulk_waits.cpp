#include <algorithm>

#include "core/graph/advance.h"
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
  std::vector<WaitRecord> waits;
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
      out.waits.push_back(std::move(record));
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
    out.waits.push_back(*std::move(found));
  }
  return out;
}

/// Whether a resumed wait could take the branch (W-15): a script has none, waits of the API have
/// whatever their engine calls so.
Outcome<bool> takes_branch(Api& api, const WaitRecord& record, std::string_view branch) {
  if (record.wait.source != WaitSource::graph) return record.wait.source == WaitSource::api;
  FERMATA_TRY(run, api.reader().summary(record.run));
  if (!run) return false;
  FERMATA_TRY(definition, api.definitions().load(run->definition));
  return graph::has_branch(*definition, record.wait.step, branch);
}

/// Why the action would be refused now, if it would.
Outcome<std::optional<ErrorCode>> bulk_wait_refusal(Api& api, const WaitAction& action,
                                                    const WaitRecord& record) {
  const Wait& wait = record.wait;
  bool resumes = action.name == "resume";
  if (!is_pending(wait.status) && !(resumes && wait.parked))
    return std::optional(ErrorCode::wait_ended);
  bool fixed = action.name == "recompute" || action.name == "hold";
  if (fixed && wait.source == WaitSource::flow) return std::optional(ErrorCode::type_fixed);
  const Value& branch = action.parameters.get("branch");
  if (!resumes || !branch.is_string()) return std::optional<ErrorCode>{};
  FERMATA_TRY(taken, takes_branch(api, record, branch.as_string()));
  return taken ? std::nullopt : std::optional(ErrorCode::unknown_step);
}

/// What would happen; a branch that none of them has is a mistake of the request.
Outcome<Value> wait_forecast(Api& api, const WaitAction& action, const SelectedWaits& selection) {
  BulkForecast forecast;
  size_t without_branch = 0;
  for (const WaitRecord& record : selection.waits) {
    FERMATA_TRY(refusal, bulk_wait_refusal(api, action, record));
    if (refusal == ErrorCode::unknown_step) ++without_branch;
    forecast.add(name_of(record.wait.status), record.wait.id, refusal);
  }
  if (without_branch > 0 && without_branch == selection.waits.size())
    return fail(ErrorCode::unknown_step, "None of the selected waits has this branch.",
                {{"unknown_step", "/branch", "No edge of their steps leads there.", {}}});
  forecast.add_missing(ErrorCode::wait_not_found, selection.missing.size());
  return forecast.value();
}

WaitAction read_wait_action(front::Fields& fields) {
  WaitAction action{fields.text("action").value_or("")};
  fields.require("action");
  bool known = std::find(std::begin(wait_actions), std::end(wait_actions), action.name) !=
               std::end(wait_actions);
  if (!known && fields.any("action"))
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
  FERMATA_TRY(told, wait_forecast(api, action, selection));
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
