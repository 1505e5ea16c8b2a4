#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void resume_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  submit_and_answer(api, std::move(call), ResumeRun{});
}

}  // namespace fermata::server::routes
