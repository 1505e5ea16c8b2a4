#include <charconv>

#include "base/json.h"
#include "core/run/view.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t events_per_look = 512;

/// The history of one run as it is and as it grows; over when the run is.
class RunStream final : public EventStream {
 public:
  RunStream(Api& api, RunId run, uint64_t after, bool detail_all)
      : EventStream(api), run_(std::move(run)), next_(after + 1), detail_all_(detail_all) {}

 private:
  FeedHub::Subscription subscribe() override {
    return api().hub().watch_run(run_, [weak = weak_from_this()](const RunSummary&) {
      if (auto self = weak.lock()) self->wake();
    });
  }

  Look look() override {
    auto found = api().reader().find(run_, next_, events_per_look);
    if (!found || found->version == 0) return Look::over;
    uint64_t last = last_sequence(found->history);
    if (last < next_) return is_terminal(found->summary.status) ? Look::over : Look::nothing;
    auto definitions = definitions_of(api(), found->summary);
    if (!definitions) return Look::over;
    auto records = view::stream_records(run_, found->history, *definitions, detail_all_);
    if (!records) return Look::over;
    if (!send(text_of(*records))) return Look::nothing;
    next_ = last + 1;
    return Look::more;
  }

  static uint64_t last_sequence(const std::vector<HistoryChunk>& chunks) {
    return chunks.empty() ? 0 : chunks.back().first_sequence + chunks.back().count - 1;
  }

  /// Only the last record of a sequence carries the id: who resumes by it has seen them all.
  std::string text_of(const std::vector<Value>& records) const {
    std::string out;
    for (size_t i = 0; i < records.size(); ++i) {
      int64_t id = records[i].get("id").as_integer();
      if (static_cast<uint64_t>(id) < next_) continue;
      bool last = i + 1 == records.size() || records[i + 1].get("id").as_integer() != id;
      out += sse_event(records[i].get("event").as_string(), last ? std::to_string(id) : "",
                       to_json(records[i].get("data")));
    }
    return out;
  }

  const RunId run_;
  uint64_t next_;  ///< touched by turns only, which never overlap
  const bool detail_all_;
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
