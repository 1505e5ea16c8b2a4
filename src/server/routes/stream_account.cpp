#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>

#include "base/json.h"
#include "core/run/approval_view.h"
#include "core/run/view.h"
#include "front/run_query.h"
#include "server/event_stream.h"
#include "server/routes/common.h"
#include "server/routes/overview_counts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t runs_per_look = 256;
/// Numbers that change all the time are told this often at most.
constexpr std::chrono::milliseconds counts_every(1'000);

/// The kinds that a list may name, each by what its events are called.
constexpr std::pair<std::string_view, std::string_view> kind_names[] = {
    {"runs", "run"},       {"approvals", "approval"},
    {"alerts", "alert"},   {"waits", "wait"},
    {"jobs", "job"},       {"dlq", "dlq"},
    {"workers", "worker"}, {"schedules", "schedule"},
    {"bulk", "bulk"},      {"simulations", "simulation"},
    {"counts", "counts"}};

/// What a stream tells of, by the names of its events.
using Kinds = std::set<std::string_view, std::less<>>;

/// A list with commas; `run` and `runs` are one. Nothing when a name is not known.
std::optional<Kinds> kinds_of(std::string_view list) {
  Kinds kinds;
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    auto known = std::find_if(std::begin(kind_names), std::end(kind_names), [&](const auto& names) {
      return one == names.first || one == names.second;
    });
    if (known == std::end(kind_names)) return std::nullopt;
    kinds.insert(known->second);
  }
  return kinds;
}

/// What happens to the things of an account, as it happens: `event: run`, `approval` and `alert`
/// with the thing itself, other kinds with what has changed (change.h), `counts` with the numbers
/// that pages always show. Ids are places in the hub's ring and hold for this life of the server; a
/// client that resumes from another life or too late is told so by `event: reset` and should read
/// the list again. The first event names the server's version (U-56).
class AccountStream final : public EventStream {
 public:
  struct Wanted {
    AccountId account;
    Kinds kinds;
    /// The run itself, its waits and its jobs alone; empty: all. What people are asked is shown on
    /// every page, so of that all is told.
    RunId run;
  };
  AccountStream(Api& api, Wanted wanted, uint64_t after, bool reset)
      : EventStream(api), wanted_(std::move(wanted)), after_(after), reset_(reset) {}

 private:
  FeedHub::Subscription subscribe() override {
    return api().hub().watch_account(wanted_.account, [weak = weak_from_this()](const RunSummary&) {
      if (auto self = weak.lock()) self->wake();
    });
  }

  Look look() override {
    FeedHub::News news = api().hub().news(wanted_.account, after_, runs_per_look);
    bool moved = news.next > after_;
    std::string out;
    if (!greeted_) out += sse_event("version", "", to_json(version_value()));
    if (news.lost || reset_) out += sse_event("reset", id_of(after_), "{}");
    std::vector<std::pair<std::string_view, std::string>> told = told_of(news);
    for (size_t i = 0; i < told.size(); ++i) {
      bool last = i + 1 == told.size();
      out += sse_event(told[i].first, last ? id_of(news.next) : "", told[i].second);
    }
    if (moved || reset_ || news.lost) counts_due_ = true;
    out += counts_event();
    if (out.empty()) {
      after_ = news.next;
      return moved ? Look::more : Look::nothing;
    }
    if (!send(out)) return Look::nothing;
    greeted_ = true;
    reset_ = false;
    after_ = news.next;
    return Look::more;
  }

  std::vector<std::pair<std::string_view, std::string>> told_of(const FeedHub::News& news) {
    std::vector<std::pair<std::string_view, std::string>> told;
    const Kinds& kinds = wanted_.kinds;
    if (kinds.contains("run"))
      for (const auto& run : news.runs)
        if (is_wanted(run->id)) told.emplace_back("run", to_json(view::list_item(*run)));
    if (kinds.contains("approval"))
      for (const auto& approval : news.approvals)
        told.emplace_back("approval", to_json(view::approval(*approval, api().now())));
    if (kinds.contains("alert"))
      for (const Value& alert : news.alerts) told.emplace_back("alert", to_json(alert));
    for (const auto& change : news.changes) {
      bool of_runs = change->kind == "wait" || change->kind == "job";
      if (kinds.contains(change->kind) && (!of_runs || is_wanted(change->run)))
        told.emplace_back(change->kind, to_json(change_value(*change)));
    }
    return told;
  }

  bool is_wanted(const RunId& run) const { return wanted_.run.empty() || wanted_.run == run; }

  Value version_value() {
    return Value::object({{"kind", "version"},
                          {"version", api().options().version},
                          {"at", to_rfc3339(api().now())}});
  }

  /// Empty while there is nothing new to count, or it was told a moment ago: then it is told soon.
  std::string counts_event() {
    if (!counts_due_ || !wanted_.kinds.contains("counts")) return {};
    auto now = std::chrono::steady_clock::now();
    if (now < counts_after_) {
      if (!std::exchange(counts_armed_, true)) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(counts_after_ - now);
        api().deadlines().after(left + std::chrono::milliseconds(1), [weak = weak_from_this()] {
          if (auto self = weak.lock()) self->wake();
        });
      }
      return {};
    }
    counts_after_ = now + counts_every;
    counts_armed_ = false;
    counts_due_ = false;
    auto counts = counts_value(api(), wanted_.account);
    // A store that cannot be read now is asked again when something changes.
    return counts ? sse_event("counts", "", to_json(*counts)) : std::string();
  }

  std::string id_of(uint64_t number) { return api().epoch() + "." + std::to_string(number); }

  // Touched by turns only, which never overlap.
  const Wanted wanted_;
  uint64_t after_;
  bool reset_;
  bool greeted_ = false;
  bool counts_due_ = true;
  bool counts_armed_ = false;
  std::chrono::steady_clock::time_point counts_after_{};
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
  const std::string* list = front::find_value(call.query, "kinds");
  std::optional<Kinds> kinds = list ? kinds_of(*list) : Kinds{"run"};
  if (!kinds) {
    std::string names;
    for (const auto& [plural, singular] : kind_names)
      names += (names.empty() ? "`" : ", `") + std::string(plural) + "`";
    auto bad = front::bad_query("kinds", names + " are understood.");
    return api.fail(call, bad.value);
  }
  AccountStream::Wanted wanted{call.who.account, *std::move(kinds), {}};
  if (const std::string* run = front::find_value(call.query, "execution")) wanted.run = RunId(*run);
  std::string_view last = call.request.header("last-event-id");
  if (last.empty())
    if (const std::string* given = front::find_value(call.query, "last_event_id")) last = *given;
  uint64_t end = api.hub().end();
  auto place = last.empty() ? std::optional<uint64_t>(end) : place_of(last, api.epoch());
  bool reset = !place || *place > end;
  EventStream::open(
      std::make_shared<AccountStream>(api, std::move(wanted), reset ? end : *place, reset), call);
}

}  // namespace fermata::server::routes
