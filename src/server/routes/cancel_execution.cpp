#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void cancel_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  CancelRun cancel{fields.text("reason").value_or(""), fields.boolean("force").value_or(false),
                   fields.boolean("rollback").value_or(false)};
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  submit_and_answer(api, std::move(call), std::move(cancel));
}

}  // namespace fermata::server::routes
