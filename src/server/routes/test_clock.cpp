#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t advance_ms_max = int64_t{3650} * 86'400'000;

void answer(Api& api, const Call& call, const Outcome<Instant>& now) {
  if (!now) return api.fail(call, now.error());
  call.send_json(200, Value::object({{"now", to_rfc3339(*now)}}));
}

}  // namespace

void get_test_clock(Api& api, Call call) { answer(api, call, api.options().test_clock->now()); }

void set_test_clock(Api& api, Call call) {
  front::Fields fields(call.body);
  auto now = fields.instant("now");
  fields.require("now");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  answer(api, call, api.options().test_clock->set(*now));
}

void advance_test_clock(Api& api, Call call) {
  front::Fields fields(call.body);
  auto ms = fields.integer("ms", 0, advance_ms_max);
  fields.require("ms");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  answer(api, call, api.options().test_clock->advance(Duration{*ms}));
}

void set_test_alarm(Api& api, Call call) {
  front::Fields fields(call.body);
  auto enabled = fields.boolean("enabled");
  fields.require("enabled");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto now = api.options().test_clock->alarm(*enabled);
  if (!now) return api.fail(call, now.error());
  call.send_json(200, Value::object({{"now", to_rfc3339(*now)}, {"enabled", *enabled}}));
}

}  // namespace fermata::server::routes
