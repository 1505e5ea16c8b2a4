#include <charconv>

#include "core/run/view.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

/// What stands behind a `ref` of the stream or the history: `sequence/field`.
Outcome<Value> read_value(Api& api, const Call& call) {
  FERMATA_TRY(own, own_history(api, call));
  const std::string& text = call.variable(1);
  uint64_t sequence = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), sequence);
  if (code != std::errc() || end != text.data() + text.size() || sequence == 0)
    return fail(ErrorCode::value_not_found, "`" + text + "` is not a sequence.");
  return view::value_at(own.run.history, own.definitions, sequence, call.variable(2));
}

}  // namespace

void get_value(Api& api, Call call) {
  auto value = read_value(api, call);
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace fermata::server::routes
