#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t stream_wait_ms = 15'000;
/// More than this unsent means that the worker does not keep up; below it the stream says so.
constexpr size_t unsent_bytes_max = 64 << 10;
/// What one answer may bring at most, well below what a stream may hold.
constexpr size_t answer_bytes_max = http::stream_bytes_max / 2;

/// Jobs, cancels and drains to a worker that does not claim: the stream claims in its place, again
/// and again, while what it has written is taken. Slots are the fleet's to count: no more jobs are
/// given out than the worker said it can do at once. Everything but `leave` and `drained` happens
/// on the partition's thread.
class WorkerStream final : public std::enable_shared_from_this<WorkerStream> {
 public:
  WorkerStream(Api& api, RegistrationId id) : api_(api), id_(std::move(id)) {
    ++api_.metrics().streams_open;
  }
  ~WorkerStream() { --api_.metrics().streams_open; }

  /// Begins with what the worker may have missed.
  void open(Workers& workers, const Call& call, std::optional<uint64_t> after) {
    auto missed = workers.outstanding(id_, after);
    if (!missed) return api_.fail(call, missed.error());
    seq_ = missed->seq;
    http::Response head;
    head.content_type = "text/event-stream";
    head.headers.emplace_back("Cache-Control", "no-store");
    head.headers.emplace_back("X-Accel-Buffering", "no");
    stream_ = call.responder.stream(std::move(head));
    stream_.on_drained([self = shared_from_this()] { self->drained(); });
    stream_.on_gone([self = shared_from_this()] { self->leave(); });
    stream_.write("retry: 1000\n\n");
    if (!tell(*missed)) return;
    claim(workers);
  }

 private:
  void claim(Workers& workers) {
    if (stream_.gone()) return;
    if (stream_.unsent() > unsent_bytes_max) {
      waits_for_room_ = true;
      // It may have been sent between the two.
      if (stream_.unsent() > unsent_bytes_max || !waits_for_room_.exchange(false)) return;
    }
    uint32_t slots = static_cast<uint32_t>(std::clamp<uint64_t>(
        answer_bytes_max /
            std::max<uint64_t>(1, api_.options().job_limits.request.inline_bytes_max),
        1, fleet::claim_slots_max));
    workers.await(id_, ++seq_, slots, stream_wait_ms,
                  [self = shared_from_this()](Outcome<Workers::Claimed> claimed) {
                    self->answered(std::move(claimed));
                  });
  }

  void answered(Outcome<Workers::Claimed> claimed) {
    if (!claimed) {
      stream_.write(sse_event("end", "",
                              to_json(Value::object({{"code", name_of(claimed.error().code)},
                                                     {"message", claimed.error().message}}))));
      return stream_.close();
    }
    if (tell(*claimed)) again();
  }

  /// False when the client does not keep up: it comes back and is told what it missed.
  bool tell(const Workers::Claimed& claimed) {
    std::string out;
    std::string id = std::to_string(claimed.seq);
    for (const Value& job : claimed.jobs) out += sse_event("job", id, to_json(job));
    for (const fleet::LeaseKey& lease : claimed.cancels)
      out +=
          sse_event("cancel", "",
                    to_json(Value::object({{"job_id", lease.job.text()}, {"fence", lease.fence}})));
    if (claimed.drain && !drain_told_) out += sse_event("drain", "", "{}");
    drain_told_ = claimed.drain;
    if (out.empty()) out = ": alive\n\n";
    if (stream_.write(out)) return true;
    stream_.close();
    return false;
  }

  void again() {
    (void)api_.jobs().with_workers(
        [self = shared_from_this()](Workers& workers) { self->claim(workers); });
  }

  void drained() {
    if (waits_for_room_.exchange(false)) again();
  }

  /// Whoever is gone takes no jobs.
  void leave() {
    (void)api_.jobs().with_workers(
        [self = shared_from_this()](Workers& workers) { workers.quit(self->id_, self->seq_); });
  }

  Api& api_;
  const RegistrationId id_;
  http::Stream stream_;
  uint64_t seq_ = 0;
  bool drain_told_ = false;
  std::atomic<bool> waits_for_room_{false};
};

}  // namespace

void stream_worker(Api& api, Call call) {
  const std::string* given = front::find_value(call.query, "registration_id");
  if (!given || given->empty()) {
    auto bad = front::bad_query("registration_id", "The worker's registration is needed.");
    return api.fail(call, bad.value);
  }
  std::string_view text = call.request.header("last-event-id");
  std::optional<uint64_t> after;
  if (!text.empty()) {
    uint64_t number = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size())
      return api.fail(
          call,
          {ErrorCode::bad_request, "Last-Event-ID is the id of an event of this stream.", {}});
    after = number;
  }
  RegistrationId id(*given);
  visit_registration(api, std::move(call), id,
                     [&api, id, after](Workers& workers, const Call& asked) {
                       std::make_shared<WorkerStream>(api, id)->open(workers, asked, after);
                     });
}

}  // namespace fermata::server::routes
