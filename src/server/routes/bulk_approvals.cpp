#include "core/approval/vote.h"
#include "core/job/view.h"
#include "core/run/approval_view.h"
#include "front/approval_query.h"
#include "front/fields.h"
#include "server/routes/approval_routes.h"
#include "server/routes/bulk_request.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

std::string text_in(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

/// As it stands in a selection: bound to what was shown of it.
std::string item_of(const Value& approval) {
  return text_in(approval, "id") + " " + text_in(approval, "hash");
}

struct SelectedApprovals {
  std::vector<Value> approvals;
  std::vector<std::string> missing;  ///< ids that are no approval of this account
};

Outcome<std::optional<Value>> approval_found(Api& api, const AccountId& account,
                                             const std::string& id) {
  if (auto job = own_job(api, account, JobId(id)); job && job->approval)
    return std::optional(job::view::approval(*job, api.now()));
  FERMATA_TRY(record, api.reader().find_approval(id));
  if (!record || record->account != account) return std::optional<Value>{};
  return std::optional(view::approval(*record, api.now()));
}

Outcome<SelectedApprovals> select_approvals(Api& api, const AccountId& account,
                                            const BulkRequest& request) {
  SelectedApprovals out;
  if (request.ids) {
    for (const std::string& id : *request.ids) {
      FERMATA_TRY(found, approval_found(api, account, id));
      if (found) {
        out.approvals.push_back(*std::move(found));
      } else {
        out.missing.push_back(id);
      }
    }
    return out;
  }
  FERMATA_TRY(selection, front::read_approval_selection(request.filter, account));
  // Who names no status means those that can be answered.
  if (selection.filter.statuses.empty()) selection.filter.statuses = {ApprovalStatus::pending};
  front::Paging paging;
  paging.limit = front::page_limit_max;
  do {
    FERMATA_TRY(page, approval_page(api, selection.filter, selection.kind, paging));
    for (const Value& one : page.get("items").items()) out.approvals.push_back(one);
    if (out.approvals.size() > api.options().bulk_items_max) return too_many(api, "approvals");
    paging.cursor = text_in(page, "next_cursor");
  } while (!paging.cursor.empty());
  return out;
}

/// Why it would be refused, or nothing.
std::optional<ErrorCode> refusal_of(const Value& approval, const Call& call, bool may_be_own) {
  if (approval.get("status") != Value("pending")) return ErrorCode::approval_not_pending;
  std::vector<std::string> approvers;
  const Value& named = approval.get("approvers");
  if (named.is_array())
    for (const Value& one : named.items()) approvers.emplace_back(one.as_string());
  bool of_job = approval.get("kind") == Value("job");
  std::string asked_by = text_in(approval, of_job ? "submitter" : "started_by");
  std::string hash = text_in(approval, "hash");
  approval::Vote vote{false, hash, "", std::string(name_of(call.who.role)), may_be_own};
  auto may = approval::may_vote({hash, approvers, {asked_by}}, vote, call.who.actor);
  return may ? std::nullopt : std::optional(may.error().code);
}

bool may_answer_own(const Api& api, const std::string& actor) {
  return api.options().approvals_allow_self || actor == "local";
}

Value approval_forecast(const Api& api, const Call& call, const SelectedApprovals& selection) {
  BulkForecast forecast;
  bool may_be_own = may_answer_own(api, call.who.actor);
  for (const Value& approval : selection.approvals)
    forecast.add(text_in(approval, "status"), text_in(approval, "id"),
                 refusal_of(approval, call, may_be_own));
  forecast.add_missing(ErrorCode::approval_not_found, selection.missing.size());
  return forecast.value();
}

Outcome<BulkRequest> read_approvals_request(const Call& call) {
  front::Fields fields(call.body);
  BulkRequest request = read_bulk_request(fields);
  // A token stands for everything that its dry run was asked; it may be said again.
  if (request.token.empty() || call.body.find("action")) {
    std::string action = fields.text("action").value_or("");
    fields.require("action");
    if (!action.empty() && action != "reject")
      fields.wrong("action", "reject is expected: each yes is said to one request alone.");
  }
  if (!request.dry_run) fields.require("reason");
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY_VOID(check_bulk_request(request));
  if (request.filter.is_null()) request.filter = Value::object();
  return request;
}

Outcome<void> serve_approvals(Api& api, const Call& call) {
  FERMATA_TRY(request, read_approvals_request(call));
  BulkPreview preview{call.who.account, "approvals", bulk_request_hash(call.body),
                      "reject",         {},          {}};
  // Its votes are those of whoever asked, with the role of then.
  preview.parameters = Value::object({{"role", name_of(call.who.role)}});
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  FERMATA_TRY(selection, select_approvals(api, call.who.account, request));
  for (const Value& approval : selection.approvals) preview.items.push_back(item_of(approval));
  if (request.dry_run) {
    answer_preview(api, call, std::move(preview), approval_forecast(api, call, selection));
    return {};
  }
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

void bulk_reject_job(Api& api, const BulkRecord& bulk, const std::string& id,
                     const std::string& hash, BulkDone done) {
  job::Voter voter{bulk.actor, text_in(bulk.parameters, "role"), bulk.actor == "local"};
  job::Command command{JobId(id), job::RejectJob{hash, std::move(voter), bulk.reason}, bulk.actor,
                       bulk.account};
  bool taken = api.jobs().submit_job(std::move(command), [done](const Outcome<JobTold>& told) {
    if (told) return done({});
    done(Failure{told.error()});
  });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

void bulk_reject_run(Api& api, const BulkRecord& bulk, const Value& approval,
                     const std::string& hash, BulkDone done) {
  approval::Vote vote{false, hash, bulk.reason, text_in(bulk.parameters, "role"),
                      may_answer_own(api, bulk.actor)};
  Command command{RunId(text_in(approval, "execution_id")),
                  AnswerApproval{text_in(approval, "id"), std::move(vote)}, bulk.actor};
  bool taken = api.intake().submit(std::move(command), [done](const Outcome<RunSummary>& outcome) {
    if (outcome) return done({});
    done(Failure{outcome.error()});
  });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace

void act_on_approval(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                     BulkDone done) {
  size_t end = std::min(item.find(' '), item.size());
  std::string id = item.substr(0, end);
  std::string hash = item.substr(std::min(end + 1, item.size()));
  auto found = approval_found(api, bulk.account, id);
  if (!found) return done(Failure{std::move(found).error()});
  if (!*found)
    return done(fail(ErrorCode::approval_not_found, "There is no approval `" + id + "`."));
  const Value& approval = **found;
  std::string status = text_in(approval, "status");
  if (repeated && status == "rejected" && text_in(approval, "by") == bulk.actor) return done({});
  if (status != "pending")
    return done(fail(ErrorCode::approval_not_pending, "The approval is " + status + "."));
  if (approval.get("kind") == Value("job")) return bulk_reject_job(api, bulk, id, hash, done);
  bulk_reject_run(api, bulk, approval, hash, done);
}

void bulk_approvals(Api& api, Call call) {
  if (auto served = serve_approvals(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
