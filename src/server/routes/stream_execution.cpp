#include <atomic>
#include <charconv>

#include "base/json.h"
#include "core/run/stream_records.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t events_per_look = 4096;
/// With the one that tells of its end a split's progress comes at most five times in a second.
constexpr std::chrono::milliseconds progress_every(250);

/// The history of one run as it is and as it grows; over when the run is.
class RunStream final : public EventStream {
 public:
  RunStream(Api& api, RunId run, uint64_t after, bool detail_all)
      : EventStream(api), run_(std::move(run)), from_(after + 1), detail_all_(detail_all) {}

 private:
  FeedHub::Subscription subscribe() override {
    return api().hub().watch_run(run_, [weak = weak_from_this()](const RunSummary&) {
      if (auto self = weak.lock()) self->wake();
    });
  }

  Look look() override {
    if (!unsent_.empty()) return pass_on();
    uint64_t known = records_ ? records_->last_sequence() : 0;
    auto found = api().reader().find(run_, known + 1, events_per_look);
    if (!found || found->version == 0) return Look::over;
    std::vector<Value> records;
    if (!read(*found, records)) return Look::over;
    tell_progress(records);
    unsent_ = text_of(records);
    if (!unsent_.empty()) return pass_on();
    if (records_->last_sequence() > known) return Look::more;
    return is_terminal(found->summary.status) ? Look::over : Look::nothing;
  }

  /// A client that does not read keeps what it has not been sent waiting here.
  Look pass_on() {
    if (!send(unsent_)) return Look::nothing;
    unsent_.clear();
    return Look::more;
  }

  bool read(const StoredRun& run, std::vector<Value>& records) {
    if (!records_) {
      auto definitions = definitions_of(api(), run.summary);
      if (!definitions) return false;
      records_.emplace(run_, *definitions, detail_all_);
    }
    for (const HistoryChunk& chunk : run.history)
      if (!records_->read(chunk, from_, records)) return false;
    return true;
  }

  void tell_progress(std::vector<Value>& records) {
    // While it catches up with what the client has seen before there is nothing new to tell.
    if (!records_->has_progress() || records_->last_sequence() + 1 < from_) return;
    auto now = std::chrono::steady_clock::now();
    if (now >= progress_from_) {
      progress_from_ = now + progress_every;
      return records_->tell_progress(records);
    }
    if (progress_awaited_.exchange(true)) return;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(progress_from_ - now);
    api().deadlines().after(left + std::chrono::milliseconds(1), [weak = weak_from_this()] {
      auto self = std::static_pointer_cast<RunStream>(weak.lock());
      if (!self) return;
      self->progress_awaited_ = false;
      self->wake();
    });
  }

  /// Only the last record of a sequence carries the id: who resumes by it has seen them all.
  static std::string text_of(const std::vector<Value>& records) {
    std::string out;
    for (size_t i = 0; i < records.size(); ++i) {
      int64_t id = records[i].get("id").as_integer();
      bool last = i + 1 == records.size() || records[i + 1].get("id").as_integer() != id;
      out += sse_event(records[i].get("event").as_string(), last ? std::to_string(id) : "",
                       to_json(records[i].get("data")));
    }
    return out;
  }

  const RunId run_;
  const uint64_t from_;
  const bool detail_all_;
  // Touched by turns only, which never overlap.
  std::optional<view::StreamRecords> records_;
  std::string unsent_;
  std::chrono::steady_clock::time_point progress_from_;
  std::atomic<bool> progress_awaited_{false};
};

Outcome<uint64_t> last_event_id(const Call& call) {
  std::string_view text = call.request.header("last-event-id");
  if (text.empty())
    if (const std::string* given = front::find_value(call.query, "last_event_id")) text = *given;
  uint64_t number = 0;
  if (text.empty()) return number;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size())
    return front::bad_query("last_event_id", "A sequence of the execution is expected.");
  return number;
}

}  // namespace

void stream_execution(Api& api, Call call) {
  auto after = last_event_id(call);
  if (!after) return api.fail(call, after.error());
  auto run = own_run(api, call);
  if (!run) return api.fail(call, run.error());
  // 204 is how a browser's EventSource is told not to come back.
  if (is_terminal(run->status) && *after >= run->last_sequence) {
    http::Response over;
    over.status = 204;
    return call.send(std::move(over));
  }
  const std::string* detail = front::find_value(call.query, "detail");
  if (detail && *detail != "all") {
    auto bad = front::bad_query("detail", "Only `all` is understood.");
    return api.fail(call, bad.value);
  }
  EventStream::open(std::make_shared<RunStream>(api, run->id, *after, detail != nullptr), call);
}

}  // namespace fermata::server::routes
