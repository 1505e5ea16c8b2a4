#include "front/schedule_request.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

/// Occurrences that a backfill is about; one more than allowed when there are too many.
Outcome<uint64_t> backfill_count(Api& api, const schedule::Schedule& schedule,
                                 const front::BackfillRequest& asked) {
  FERMATA_TRY(rule, schedule::Rule::of(schedule.spec, schedule.created_at, *api.zones()));
  uint64_t count = 0;
  auto at = rule.next(asked.from - Duration{1});
  for (; at && *at <= asked.to && count <= api.options().schedule_limits.backfill_max; ++count)
    at = rule.next(*at);
  return count;
}

struct WantedBackfill {
  front::BackfillRequest asked;
  uint64_t count = 0;
};

Outcome<WantedBackfill> read_wanted(Api& api, const Call& call) {
  FERMATA_TRY(asked, front::read_backfill(call.body));
  FERMATA_TRY(schedule, own_schedule(api, call));
  FERMATA_TRY(count, backfill_count(api, schedule, asked));
  uint64_t most = api.options().schedule_limits.backfill_max;
  if (count > most)
    return fail(ErrorCode::invalid_field,
                "The backfill has more than " + std::to_string(most) +
                    " occurrences (setting schedule_backfill_max); ask for a shorter time.");
  return WantedBackfill{asked, count};
}

Value backfill_value(const WantedBackfill& wanted) {
  return Value::object({{"from", to_rfc3339(wanted.asked.from)},
                        {"to", to_rfc3339(wanted.asked.to)},
                        {"count", wanted.count},
                        {"dry_run", wanted.asked.dry_run}});
}

}  // namespace

void backfill_schedule(Api& api, Call call) {
  auto wanted = read_wanted(api, call);
  if (!wanted) return api.fail(call, wanted.error());
  if (wanted->asked.dry_run) return call.send_json(200, backfill_value(*wanted));
  schedule::Command command{schedule_key(call),
                            schedule::BackfillSchedule{wanted->asked.from, wanted->asked.to},
                            call.who.actor};
  send_schedule(api, std::move(call), std::move(command),
                [wanted = *wanted](Api&, const Call& asked, const ScheduleTold& told) {
                  Value answer = backfill_value(wanted);
                  answer.set("queued", told.schedule.queue.size());
                  answer.set("live_total", told.schedule.live.size());
                  asked.send_json(200, answer);
                });
}

}  // namespace fermata::server::routes
