#include <map>

#include "front/dead_letter_query.h"
#include "front/fields.h"
#include "server/routes/bulk_letter.h"
#include "server/routes/bulk_request.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view letter_kind = "dead_letters";

struct SelectedLetters {
  std::vector<DeadLetterEntry> entries;
  std::vector<std::string> missing;  ///< ids that are no entry of this account
};

Outcome<SelectedLetters> letters_by_filter(Api& api, const DeadLetterFilter& filter) {
  SelectedLetters out;
  size_t most = api.options().bulk_items_max;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.dead_letters().dead_letters(filter, front::page_limit_max, cursor));
    for (DeadLetterEntry& entry : page.items) out.entries.push_back(std::move(entry));
    if (out.entries.size() > most)
      return fail(ErrorCode::invalid_field,
                  "More than bulk_items_max, " + std::to_string(most) +
                      " entries are selected; narrow the filter.",
                  {{"invalid_field", "/filter", "It selects too much for one operation.", {}}});
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return out;
}

Outcome<SelectedLetters> select_letters(Api& api, const Call& call, const BulkRequest& request) {
  if (!request.ids) {
    FERMATA_TRY(filter, front::read_dead_letter_filter(request.filter, call.who.account));
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

Value letter_counts(const std::map<std::string, int64_t>& by_name) {
  Value out = Value::object();
  for (const auto& [name, count] : by_name) out.set(name, count);
  return out;
}

/// {count, by_status, sample, refused}: what would happen, by reason. What belongs to a run is
/// retried there; whether a saga or a run stands behind an entry is found when it is acted on.
Value letter_forecast(const SelectedLetters& selection) {
  constexpr size_t sample_max = 10;
  std::map<std::string, int64_t> by_reason;
  std::map<std::string, int64_t> refused;
  Value sample = Value::array();
  for (const DeadLetterEntry& entry : selection.entries) {
    ++by_reason[entry.letter.reason_code];
    if (!entry.open()) {
      ++refused[std::string(name_of(ErrorCode::wrong_state))];
    } else if (sample.size() < sample_max) {
      sample.push(entry.letter.id);
    }
  }
  if (!selection.missing.empty())
    refused[std::string(name_of(ErrorCode::value_not_found))] =
        static_cast<int64_t>(selection.missing.size());
  return Value::object({{"count", selection.entries.size()},
                        {"by_status", letter_counts(by_reason)},
                        {"sample", std::move(sample)},
                        {"refused", letter_counts(refused)}});
}

Outcome<void> serve_letters(Api& api, const Call& call) {
  front::Fields fields(call.body);
  std::string action = "retry";
  BulkRequest request = read_bulk_request(fields);
  if (auto given = fields.text("action"); given && *given != action)
    fields.wrong("action", "retry is expected.");
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY_VOID(check_bulk_request(request));
  BulkPreview preview{
      call.who.account, std::string(letter_kind), bulk_request_hash(call.body), action, {}, {}};
  preview.parameters = Value::object();
  if (!request.token.empty()) return act_on_preview(api, call, request, preview.request_hash);
  if (request.filter.is_null()) request.filter = Value::object();
  FERMATA_TRY(selection, select_letters(api, call, request));
  Value told = letter_forecast(selection);
  for (const DeadLetterEntry& entry : selection.entries) preview.items.push_back(entry.letter.id);
  if (request.dry_run) {
    answer_preview(api, call, std::move(preview), std::move(told));
    return {};
  }
  preview.items.insert(preview.items.end(), selection.missing.begin(), selection.missing.end());
  return begin_bulk(api, call, request, std::move(preview));
}

}  // namespace

void bulk_letters(Api& api, Call call) {
  if (auto served = serve_letters(api, call); !served) api.fail(call, served.error());
}

}  // namespace fermata::server::routes
