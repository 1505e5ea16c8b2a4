#include "core/job/words.h"
#include "server/routes/common.h"

namespace fermata::server::routes {
namespace {

/// Why the job has not ended, for people.
Value reason_of(const job::Summary& job) {
  switch (job.state) {
    case job::State::pending: return "policy has not decided yet";
    case job::State::approval_required: return "somebody has to approve it";
    case job::State::scheduled: return "no worker has taken it yet";
    case job::State::dispatched: return "a worker has it and has not begun";
    case job::State::retrying: return "the next attempt waits for its time";
    default: return {};
  }
}

Value told(Api& api, const AccountId& account, Value entry) {
  if (entry.get("kind") != Value("job") || !entry.get("what").is_object()) return entry;
  Value what = entry.get("what");
  const Value& id = what.find("job_id") ? what.get("job_id") : what.get("id");
  if (!id.is_string()) return entry;
  auto found = api.reader().find_job(JobId(std::string(id.as_string())));
  if (!found || found->version == 0 || found->summary.account != account) return entry;
  const job::Summary& job = found->summary;
  what.set("state", name_of(job.state));
  if (std::string_view phase = name_of(job.phase); !phase.empty()) what.set("phase", phase);
  if (Value reason = reason_of(job); !reason.is_null()) what.set("reason", std::move(reason));
  entry.set("what", std::move(what));
  return entry;
}

}  // namespace

void tell_of_jobs(Api& api, const AccountId& account, Value& execution) {
  const Value& waiting = execution.get("waiting");
  if (!waiting.is_array() || waiting.size() == 0) return;
  Value list = Value::array();
  for (const Value& entry : waiting.items()) list.push(told(api, account, entry));
  execution.set("waiting", std::move(list));
}

}  // namespace fermata::server::routes
