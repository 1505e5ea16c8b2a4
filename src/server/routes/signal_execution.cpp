#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// A repeat with the same Idempotency-Key (or `id`) is taken once by the run itself.
void signal_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  SignalRun signal;
  signal.name = call.variable(1);
  if (const Value* payload = fields.any("payload")) signal.payload = *payload;
  signal.signal_id = fields.text("id", 200).value_or("");
  if (!front::is_valid_id(signal.name))
    fields.add({{"invalid_field", "/name", "The signal's name is not allowed in a path.", {}}});
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  if (signal.signal_id.empty()) signal.signal_id = call.request.header("idempotency-key");
  signal.trace = trace_of(call.request).parent;
  submit_and_answer(api, std::move(call), std::move(signal));
}

}  // namespace fermata::server::routes
