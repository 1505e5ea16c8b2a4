#include <map>

#include "front/dead_letter_query.h"
#include "front/fields.h"
#include "host/job_intake.h"
#include "server/routes/bulk_request.h"
#include "server/routes/dead_letter_retry.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view letter_kind = "dead_letters";
constexpr std::string_view retry_letters = "retry";
constexpr std::string_view drop_letters = "drop";

struct SelectedLetters {
  std::vector<DeadLetterEntry> entries;
  std::vector<std::string> missing;  ///< ids that are no entry of this account
};

Outcome<SelectedLetters> letters_by_filter(Api& api, const DeadLetterFilter& filter) {
  SelectedLetters out;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.dead_letters().dead_letters(filter, front::page_limit_max, cursor));
    for (DeadLetterEntry& entry : page.items) out.entries.push_back(std::move(entry));
    if (out.entries.size() > api.options().bulk_items_max)
      return fail(ErrorCode::invalid_field,
                  "More than bulk_items_max, " + std::to_string(api.options().bulk_items_max) +
                      " entries are selected; narrow the filter.",
                  {{"invalid_field", "/filter", "It selects too much for one operation.", {}}});
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return out;
}

Outcome<SelectedLetters> select_letters(Api& api, const Call& call, const BulkRequest& request) {
  if (!request.ids) {
    FERMATA_TRY(filter, front::read_dead_letter_selection(request.filter, call.who.account));
    return letters_by_filter(api, filter);
  }
  SelectedLetters out;
  for (const std::string& id : *request.ids) {
    FERMATA_TRY(entry, api.dead_letters().dead_letter(id));
    if (entry && entry->letter.account == call.who.account) {
      out.entries.push_back(*std::move(entry));
    } else {
      out.missing.push_back(id);
    }
  }
  return out;
}

/// What would refuse the entry, as far as can be told without acting.
Outcome<void> would_take(Api& api, const AccountId& account, const std::string& action,
                         const DeadLetterEntry& entry) {
  if (!entry.open()) return fail(ErrorCode::wrong_state, "The entry is resolved already.");
  if (action == drop_letters) return {};
  FERMATA_TRY(job, own_job(api, account, entry.letter.job));
  FERMATA_TRY(retry, retry_of(api, entry, job));
  (void)retry;
  return {};
}

Value counted(const std::map<std::string, int64_t>& by_name) {
  Value out = Value::object();
  for (const auto& [name, count] : by_name) out.set(name, count);
  return out;
}

/// {count, by_reason, sample, refused}: what would happen.
Value letter_forecast(Api& api, const AccountId& account, const std::string& action,
                      const SelectedLetters& selection) {
  constexpr size_t sample_max = 10;
  std::map<std::string, int64_t> by_reason;
  std::map<std::string, int64_t> refused;
  Value sample = Value::array();
  for (const DeadLetterEntry& entry : selection.entries) {
    ++by_reason[entry.letter.reason_code];
    if (auto would = would_take(api, account, action, entry); !would) {
      ++refused[std::string(name_of(would.error().code))];
    } else if (sample.size() < sample_max) {
      sample.push(entry.letter.id);
    }
  }
  if (!selection.missing.empty())
    refused[std::string(name_of(ErrorCode::value_not_found))] =
        static_cast<int64_t>(selection.missing.size());
  return Value::object({{"count", selection.entries.size()},
                        {"by_reason", counted(by_reason)},
                        {"sample", std::move(sample)},
                        {"refused", counted(refused)}});
}

Outcome<void> serve_letters(Api& api, const Call& call) {
  front::Fields fields(call.body);
  std::string action;
  BulkRequest request = read_bulk_request(fields);
  // A token stands for everything that its dry run was asked; it may be said again.
  if (request.token.empty() || call.body.find("action")) {
    action = fields.text("action").value_or("");
    fields.require("action");
    if (!action.empty() && action != retry_letters && action != drop_letters)
      fields.wrong("action", "retry or drop is expected.");
  }
  FERMATA_TRY_VOID(fields.finish());
  // Whoever drops one by one is an admin too.
  if (action == drop_letters && call.who.role < Role::admin)
    return fail(ErrorCode::forbidden, "Only an admin may drop dead letters.");
  FERMATA_TRY_VOID(check_bulk_request(request));
  BulkPreview preview{
      call.who.account, std::string(letter_kind), bulk_request_hash(call.body), action, {}, {}};
  preview.parameters = Value::object();
  if (action == drop_letters) preview.least = Role::admin;
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  if (request.filter.is_null()) request.filter = Value::object();
  FERMATA_TRY(selection, select_letters(api, call, request));
  // The oldest first, as they came.
  for (auto entry = selection.entries.rbegin(); entry != selection.entries.rend(); ++entry)
    preview.items.push_back(entry->letter.id);
  if (request.dry_run) {
    answer_preview(api, call, std::move(preview),
                   letter_forecast(api, call.who.account, action, selection));
    return {};
  }
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

/// The entry of a bulk operation with the job that it stands for, if it can be retried.
Outcome<LetterRetry> retry_in_bulk(Api& api, const BulkRecord& bulk, const std::string& item,
                                   bool repeated) {
  FERMATA_TRY(entry, api.dead_letters().dead_letter(item));
  if (!entry || entry->letter.account != bulk.account)
    return fail(ErrorCode::value_not_found, "There is no entry `" + item + "`.");
  if (!entry->open() && !repeated)
    return fail(ErrorCode::wrong_state, "The entry is resolved already.");
  FERMATA_TRY(job, own_job(api, bulk.account, entry->letter.job));
  return retry_of(api, *entry, job);
}

AuditLine letter_audit(const BulkRecord& bulk, const std::string& item, std::string action) {
  AuditLine audit;
  audit.account = bulk.account;
  audit.actor = bulk.actor;
  audit.action = std::move(action);
  audit.subject = item;
  audit.reason = bulk.reason;
  return audit;
}

Outcome<void> drop_in_bulk(Api& api, const BulkRecord& bulk, const std::string& item,
                           bool repeated) {
  FERMATA_TRY(entry, api.dead_letters().dead_letter(item));
  if (!entry || entry->letter.account != bulk.account)
    return fail(ErrorCode::value_not_found, "There is no entry `" + item + "`.");
  if (repeated && entry->resolution == Resolution::purged) return {};
  AuditLine audit = letter_audit(bulk, item, "dlq.purge");
  audit.at = api.now();
  DeadLetters::Resolve resolve{item, Resolution::purged, bulk.actor, audit.at};
  FERMATA_TRY(resolved, api.dead_letters().resolve_dead_letter(resolve, audit));
  letter_changed(api, resolved.letter);
  return {};
}

}  // namespace

void act_on_dead_letter(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                        BulkDone done) {
  if (bulk.action == drop_letters) return done(drop_in_bulk(api, bulk, item, repeated));
  auto retry = retry_in_bulk(api, bulk, item, repeated);
  if (!retry) return done(Failure{std::move(retry).error()});
  AuditLine audit = letter_audit(bulk, item, "dlq.retry");
  job::SubmitJob submit;
  submit.account = bulk.account;
  submit.request = std::move(retry->request);
  submit.submitter = bulk.actor;
  job::Command command{retry->id, std::move(submit), bulk.actor};
  bool taken = api.jobs().submit_job(
      std::move(command), [&api, done, item, audit, id = retry->id](const Outcome<JobTold>& told) {
        if (!told) return done(Failure{told.error()});
        // The partition's thread must not wait for the disk.
        api.pool().submit_owed([&api, done, item, audit, id]() mutable {
          audit.at = api.now();
          done(resolve_retried(api, item, id, audit));
        });
      });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

void bulk_dead_letters(Api& api, Call call) {
  if (auto served = serve_letters(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
