#include <charconv>

#include "base/json.h"
#include "core/run/approval_view.h"
#include "core/run/view.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t runs_per_look = 256;

/// What a stream tells of.
struct Kinds {
  bool runs = false;
  bool approvals = false;
  bool alerts = false;
};

/// A list with commas; `run` and `runs` are one. Nothing when a name is not known.
std::optional<Kinds> kinds_of(std::string_view list) {
  Kinds kinds;
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    bool runs = one == "run" || one == "runs";
    bool alerts = one == "alert" || one == "alerts";
    if (!runs && !alerts && one != "approvals") return std::nullopt;
    (runs ? kinds.runs : alerts ? kinds.alerts : kinds.approvals) = true;
  }
  return kinds;
}

/// All runs, approvals and alerts of an account as they change, `event: run`, `approval` and
/// `alert`. Ids are
/// places in the hub's ring and hold for this life of the server; a client that resumes from
/// another life or too late is told so by `event: reset` and should read the list again.
class AccountStream final : public EventStream {
 public:
  AccountStream(Api& api, AccountId account, Kinds kinds, uint64_t after, bool reset)
      : EventStream(api),
        account_(std::move(account)),
        kinds_(kinds),
        after_(after),
        reset_(reset) {}

 private:
  FeedHub::Subscription subscribe() override {
    return api().hub().watch_account(account_, [weak = weak_from_this()](const RunSummary&) {
      if (auto self = weak.lock()) self->wake();
    });
  }

  Look look() override {
    FeedHub::News news = api().hub().news(account_, after_, runs_per_look);
    std::string out;
    if (news.lost || reset_) out = sse_event("reset", id_of(after_), "{}");
    std::vector<std::pair<const char*, std::string>> told;
    if (kinds_.runs)
      for (const auto& run : news.runs) told.emplace_back("run", to_json(view::list_item(*run)));
    if (kinds_.approvals)
      for (const auto& approval : news.approvals)
        told.emplace_back("approval", to_json(view::approval(*approval, api().now())));
    if (kinds_.alerts)
      for (const Value& alert : news.alerts) told.emplace_back("alert", to_json(alert));
    for (size_t i = 0; i < told.size(); ++i) {
      bool last = i + 1 == told.size();
      out += sse_event(told[i].first, last ? id_of(news.next) : "", told[i].second);
    }
    if (out.empty()) {
      bool moved = news.next > after_;
      after_ = news.next;
      return moved ? Look::more : Look::nothing;
    }
    if (!send(out)) return Look::nothing;
    reset_ = false;
    after_ = news.next;
    return Look::more;
  }

  std::string id_of(uint64_t number) { return api().epoch() + "." + std::to_string(number); }

  const AccountId account_;
  const Kinds kinds_;
  uint64_t after_;  ///< touched by turns only, which never overlap
  bool reset_;
};

/// The place after `epoch.number`; nothing when it is from another life of the server.
std::optional<uint64_t> place_of(std::string_view id, const std::string& epoch) {
  if (!id.starts_with(epoch + ".")) return std::nullopt;
  id.remove_prefix(epoch.size() + 1);
  uint64_t number = 0;
  auto [end, code] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (code != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return number;
}

}  // namespace

void stream_account(Api& api, Call call) {
  const std::string* wanted = front::find_value(call.query, "kinds");
  std::optional<Kinds> kinds = wanted ? kinds_of(*wanted) : Kinds{.runs = true};
  if (!kinds) {
    auto bad = front::bad_query("kinds", "`runs`, `approvals` and `alerts` are understood.");
    return api.fail(call, bad.value);
  }
  std::string_view last = call.request.header("last-event-id");
  if (last.empty())
    if (const std::string* given = front::find_value(call.query, "last_event_id")) last = *given;
  uint64_t end = api.hub().end();
  auto place = last.empty() ? std::optional<uint64_t>(end) : place_of(last, api.epoch());
  bool reset = !place || *place > end;
  EventStream::open(
      std::make_shared<AccountStream>(api, call.who.account, *kinds, reset ? end : *place, reset),
      call);
}

}  // namespace fermata::server::routes
