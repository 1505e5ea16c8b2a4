#include "core/schedule/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

/// Goes back through a schedule's history, newest event first, until a page is full.
template <class Show>
Outcome<Value> backwards(Api& api, const Call& call, Show show) {
  FERMATA_TRY(schedule, own_schedule(api, call));
  FERMATA_TRY(paging, front::read_paging(call.query));
  uint64_t before = UINT64_MAX;
  if (!paging.cursor.empty()) {
    auto number = version_number(paging.cursor);
    if (!number) return front::bad_query("cursor", "This is no cursor of this list.");
    before = *number;
  }
  Value items = Value::array();
  for (;;) {
    FERMATA_TRY(chunks, api.reader().schedule_history(schedule.key(), before, paging.limit));
    if (chunks.empty()) return page_value(std::move(items), "");
    for (const HistoryChunk& chunk : chunks) {
      FERMATA_TRY(events, schedule::decode_history(chunk));
      for (auto event = events.rbegin(); event != events.rend(); ++event) {
        if (event->sequence >= before) continue;
        FERMATA_TRY(shown, show(*event));
        if (shown.is_null()) continue;
        items.push(std::move(shown));
        if (items.size() >= paging.limit && event->sequence > 1)
          return page_value(std::move(items), std::to_string(event->sequence));
      }
    }
    before = chunks.back().first_sequence;
  }
}

/// Null for what is no occurrence.
Outcome<Value> occurrence_value(Api& api, const schedule::Event& event) {
  Value out = Value::object({{"decided_at", to_rfc3339(event.at)}});
  if (const auto* started = std::get_if<schedule::OccurrenceStarted>(&event.body)) {
    out.set("outcome", "started");
    out.set("scheduled_at", to_rfc3339(started->occurrence));
    out.set("start_at", to_rfc3339(started->start_at));
    out.set("cause", name_of(started->cause));
    out.set("execution_id", started->run.text());
    FERMATA_TRY(run, api.reader().summary(started->run));
    out.set("status", run ? Value(name_of(run->status)) : Value());
    return out;
  }
  if (const auto* queued = std::get_if<schedule::OccurrenceQueued>(&event.body)) {
    out.set("outcome", "queued");
    out.set("scheduled_at", to_rfc3339(queued->occurrence));
    out.set("cause", name_of(queued->cause));
    return out;
  }
  if (const auto* skipped = std::get_if<schedule::OccurrencesSkipped>(&event.body)) {
    out.set("outcome", "skipped");
    out.set("scheduled_at", to_rfc3339(skipped->first));
    out.set("last_scheduled_at", to_rfc3339(skipped->last));
    out.set("count", skipped->count);
    out.set("reason", skipped->reason);
    return out;
  }
  if (const auto* refused = std::get_if<schedule::StartRefused>(&event.body)) {
    out.set("outcome", "refused");
    out.set("execution_id", refused->run.text());
    out.set("code", refused->code);
    out.set("message", refused->message);
    return out;
  }
  return Value();
}

}  // namespace

void get_schedule(Api& api, Call call) {
  auto schedule = own_schedule(api, call);
  if (!schedule) return api.fail(call, schedule.error());
  call.send(schedule_response(200, *schedule));
}

void list_occurrences(Api& api, Call call) {
  auto page = backwards(api, call,
                        [&](const schedule::Event& event) { return occurrence_value(api, event); });
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

void get_schedule_history(Api& api, Call call) {
  auto page = backwards(api, call, [](const schedule::Event& event) -> Outcome<Value> {
    return schedule::view(event);
  });
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
