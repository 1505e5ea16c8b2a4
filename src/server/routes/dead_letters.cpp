#include "front/dead_letter_query.h"
#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

/// That one purge takes; each is a write of its own, and whoever has more calls again.
constexpr size_t purge_max = 1'000;

Outcome<Value> letter_page(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_dead_letter_filter(call.query, call.who.account));
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.dead_letters().dead_letters(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const DeadLetterEntry& entry : page.items) items.push(front::dead_letter_value(entry));
  return page_value(std::move(items), page.next_cursor);
}

Outcome<Value> discard_letter(Api& api, const Call& call) {
  FERMATA_TRY(entry, own_dead_letter(api, call));
  DeadLetters::Resolve resolve{entry.letter.id, Resolution::discarded, call.who.actor, api.now()};
  const std::string* reason = front::find_value(call.query, "reason");
  FERMATA_TRY(resolved, api.dead_letters().resolve_dead_letter(
                            resolve, api.audit(call, "dlq.discard", entry.letter.id,
                                               reason ? *reason : std::string())));
  letter_changed(api, resolved.letter);
  return front::dead_letter_value(resolved);
}

Outcome<Value> purge_letters(Api& api, const Call& call) {
  FERMATA_TRY(request, front::read_purge(call.body, call.who.account));
  FERMATA_TRY(page, api.dead_letters().dead_letters(request.filter, purge_max, ""));
  uint64_t purged = 0;
  for (const DeadLetterEntry& entry : page.items) {
    if (request.dry_run) break;
    const std::string& id = entry.letter.id;
    DeadLetters::Resolve resolve{id, Resolution::purged, call.who.actor, api.now()};
    auto resolved =
        api.dead_letters().resolve_dead_letter(resolve, api.audit(call, "dlq.purge", id));
    if (resolved) ++purged;
    if (resolved) letter_changed(api, resolved->letter);
    // Somebody else may have been faster.
    if (!resolved && resolved.error().code != ErrorCode::wrong_state &&
        resolved.error().code != ErrorCode::value_not_found)
      return Failure{std::move(resolved).error()};
  }
  return Value::object({{"matched", page.items.size()},
                        {"purged", purged},
                        {"more", !page.next_cursor.empty()},
                        {"dry_run", request.dry_run}});
}

void answer_letters(Api& api, const Call& call, Outcome<Value> value) {
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace

Outcome<DeadLetterEntry> own_dead_letter(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  FERMATA_TRY(entry, api.dead_letters().dead_letter(id));
  if (!entry || entry->letter.account != call.who.account)
    return fail(ErrorCode::value_not_found, "There is no entry `" + id + "`.");
  return *std::move(entry);
}

void letter_changed(Api& api, const job::DeadLetter& letter) {
  api.hub().changed({letter.account, "dlq", letter.id, 0, api.now(), letter.run});
}

void list_dead_letters(Api& api, Call call) { answer_letters(api, call, letter_page(api, call)); }

void dead_letter_stats(Api& api, Call call) {
  auto counts = api.dead_letters().count_dead_letters(call.who.account);
  if (!counts) return api.fail(call, counts.error());
  Value reasons = Value::object();
  uint64_t open = 0;
  for (const auto& [reason, count] : *counts) {
    reasons.set(reason, count);
    open += count;
  }
  call.send_json(200, Value::object({{"open", open}, {"reasons", std::move(reasons)}}));
}

void get_dead_letter(Api& api, Call call) {
  auto entry = own_dead_letter(api, call);
  if (!entry) return api.fail(call, entry.error());
  call.send_json(200, front::dead_letter_value(*entry));
}

void discard_dead_letter(Api& api, Call call) {
  answer_letters(api, call, discard_letter(api, call));
}

void purge_dead_letters(Api& api, Call call) {
  answer_letters(api, call, purge_letters(api, call));
}

}  // namespace fermata::server::routes
