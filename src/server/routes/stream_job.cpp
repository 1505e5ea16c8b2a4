#include <charconv>

#include "base/json.h"
#include "core/job/view.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t job_events_per_look = 256;

/// The history of one job as it is and as it grows, `event` named by type; over when the job is.
class JobStream final : public EventStream {
 public:
  JobStream(Api& api, JobId job, uint64_t after)
      : EventStream(api), job_(std::move(job)), after_(after) {}

 private:
  FeedHub::Subscription subscribe() override {
    return api().hub().watch_job(job_, [weak = weak_from_this()](const job::Summary&) {
      if (auto self = weak.lock()) self->wake();
    });
  }

  Look look() override {
    auto stored = api().reader().find_job(job_);
    if (!stored || stored->version == 0) return Look::over;
    auto events = job::view::history(stored->history, after_ + 1, job_events_per_look);
    if (!events) return Look::over;
    if (events->empty()) return is_terminal(stored->summary.state) ? Look::over : Look::nothing;
    std::string out;
    for (const Value& event : *events)
      out += sse_event(event.get("type").as_string(),
                       std::to_string(event.get("sequence").as_integer()), to_json(event));
    if (!send(out)) return Look::nothing;
    after_ += events->size();
    return Look::more;
  }

  const JobId job_;
  uint64_t after_;  ///< touched by turns only, which never overlap
};

}  // namespace

void stream_job(Api& api, Call call) {
  std::string_view text = call.request.header("last-event-id");
  if (text.empty())
    if (const std::string* given = front::find_value(call.query, "last_event_id")) text = *given;
  uint64_t after = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), after);
  if (!text.empty() && (code != std::errc() || end != text.data() + text.size())) {
    auto bad = front::bad_query("last_event_id", "A sequence of the job is expected.");
    return api.fail(call, bad.value);
  }
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  if (job->finished() && after >= job->last_sequence) {
    http::Response over;
    over.status = 204;
    return call.send(std::move(over));
  }
  EventStream::open(std::make_shared<JobStream>(api, job->id, after), call);
}

}  // namespace fermata::server::routes
