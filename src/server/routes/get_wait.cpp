#include <algorithm>

#include "core/run/wait_view.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> wait_at_step(Api& api, const Call& call) {
  FERMATA_TRY(occurrence,
              front::read_occurrence(front::find_value(call.query, "occurrence"), false));
  FERMATA_TRY(waits, waits_at_step(api, call));
  auto pending = std::count_if(waits.begin(), waits.end(), [](const WaitRecord& record) {
    return is_pending(record.wait.status);
  });
  // Looking is never ambiguous: of several that are pending the newest is shown.
  if (!occurrence.number && pending > 1) {
    for (const WaitRecord& record : waits)
      if (is_pending(record.wait.status)) occurrence.number = record.wait.occurrence;
  }
  FERMATA_TRY(record, chosen(waits, occurrence));
  Value answer = view::wait(record, api.now());
  answer.set("occurrences", waits.size());
  answer.set("pending", pending);
  return answer;
}

}  // namespace

void get_wait(Api& api, Call call) {
  auto answer = wait_at_step(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

void get_wait_by_id(Api& api, Call call) {
  auto record = own_wait(api, call);
  if (!record) return api.fail(call, record.error());
  call.send_json(200, view::wait(*record, api.now()));
}

}  // namespace fermata::server::routes
