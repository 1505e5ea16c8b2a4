#include "front/fields.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t reason_bytes_max = 1000;

Outcome<std::string> reason_in(const Call& call) {
  const std::string* reason = front::find_value(call.query, "reason");
  if (reason == nullptr) return std::string();
  if (!front::is_plain_text(*reason, reason_bytes_max))
    return front::bad_query("reason", "Plain text of at most 1000 bytes is expected.");
  return *reason;
}

}  // namespace

void cancel_wait(Api& api, Call call) {
  auto reason = reason_in(call);
  if (!reason) return api.fail(call, reason.error());
  auto occurrence = front::read_occurrence(front::find_value(call.query, "occurrence"), true);
  if (!occurrence) return api.fail(call, occurrence.error());
  auto waits = waits_at_step(api, call);
  if (!waits) return api.fail(call, waits.error());
  if (occurrence->all)
    return send_to_each(api, call, *waits, "cancelled",
                        [&](const std::string& wait) { return CancelWait{wait, *reason}; });
  auto record = chosen(*waits, *occurrence);
  if (!record) return api.fail(call, record.error());
  cancel_chosen(api, std::move(call), *record, *std::move(reason));
}

void cancel_wait_by_id(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason", reason_bytes_max).value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto record = own_wait(api, call);
  if (!record) return api.fail(call, record.error());
  cancel_chosen(api, std::move(call), *record, std::move(reason));
}

}  // namespace fermata::server::routes
