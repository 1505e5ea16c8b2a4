#include "front/run_query.h"
#include "front/schedule_preview.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<int64_t> preview_count(const Call& call) {
  const std::string* text = front::find_value(call.query, "n");
  if (!text) return int64_t{10};
  auto number = version_number(*text);
  if (number && *number >= 1 && *number <= front::preview_occurrences_max) return int64_t{*number};
  return front::bad_query(
      "n",
      "A number from 1 to " + std::to_string(front::preview_occurrences_max) + " is expected.");
}

Outcome<Value> preview_kept(Api& api, const Call& call) {
  FERMATA_TRY(count, preview_count(call));
  FERMATA_TRY(schedule, own_schedule(api, call));
  return front::preview_of(schedule, *api.zones(), api.now(), count);
}

}  // namespace

void preview_schedule(Api& api, Call call) {
  auto answer = front::preview_schedule(call.body, *api.zones(), api.now());
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

void get_schedule_preview(Api& api, Call call) {
  auto answer = preview_kept(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
