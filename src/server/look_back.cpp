#include "server/look_back.h"

#include <memory>

#include "server/api.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server {
namespace {

/// Runs, live runs, runs that failed, open jobs, and decisions of policy.
constexpr size_t looked_back_max = 10'000;
constexpr size_t page_size = 200;

/// One walk through five lists, page by page.
class LookBack : public std::enable_shared_from_this<LookBack> {
 public:
  explicit LookBack(Api& api) : api_(api), oldest_(api.now() - Duration{24 * 3'600'000}) {}

  void go_on() {
    api_.pool().submit_owed([self = shared_from_this()] { self->step(); });
  }

 private:
  /// A list that cannot be read ends early: what is shown says that something is left out.
  void step() {
    if (api_.stopping()) return;
    auto more = part();
    if (more && *more) return go_on();
    bool whole = more && cursor_.empty();
    // Decisions tell by their `since` what they leave out.
    if (part_ == 1 || part_ == 2) runs_all_ = runs_all_ && whole;
    if (part_ == 1 || part_ == 3) agenda_all_ = agenda_all_ && whole;
    cursor_.clear();
    read_ = 0;
    if (++part_ < 5) return go_on();
    api_.hub().agenda().end_reading(agenda_all_);
    api_.hub().whereabouts().end_reading(runs_all_);
  }

  Outcome<bool> part() {
    switch (part_) {
      case 0: return day();
      case 1: return live();
      case 2: return failed();
      case 3: return jobs();
      default: return decisions();
    }
  }

  /// Whether there is more to be read.
  bool turned(size_t items, std::string next) {
    read_ += items;
    cursor_ = std::move(next);
    return !cursor_.empty() && read_ < looked_back_max;
  }

  Outcome<bool> day() {
    FERMATA_TRY(page, api_.reader().list({}, page_size, cursor_));
    for (const RunSummary& run : page.items) {
      if (run.started_at < oldest_) {
        api_.hub().measures().remember_until(oldest_);
        return false;
      }
      api_.hub().measures().remember(run);
      api_.hub().measures().remember_until(run.started_at);
    }
    if (turned(page.items.size(), std::move(page.next_cursor))) return true;
    if (cursor_.empty()) api_.hub().measures().remember_until(oldest_);
    // What the measures leave out is told by their `since`.
    cursor_.clear();
    return false;
  }

  Outcome<bool> live() {
    RunFilter filter;
    filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
    FERMATA_TRY(page, api_.reader().list(filter, page_size, cursor_));
    for (const RunSummary& summary : page.items) {
      auto own = routes::own_state(api_, summary.account, summary.id);
      if (!own && own.error().code == ErrorCode::data_damaged)
        api_.hub().whereabouts().unreadable(summary, api_.now());
      if (!own) continue;
      api_.hub().agenda().read(own->run);
      api_.hub().whereabouts().read(own->run);
    }
    for (const Error& damage : page.damages) api_.hub().whereabouts().damaged(damage);
    return turned(page.items.size(), std::move(page.next_cursor));
  }

  /// Within a day: where they failed is what people look for.
  Outcome<bool> failed() {
    RunFilter filter;
    filter.statuses = {RunStatus::failed, RunStatus::timed_out};
    filter.from = oldest_;
    FERMATA_TRY(page, api_.reader().list(filter, page_size, cursor_));
    for (const RunSummary& summary : page.items) {
      auto own = routes::own_state(api_, summary.account, summary.id);
      if (own) api_.hub().whereabouts().read(own->run);
    }
    return turned(page.items.size(), std::move(page.next_cursor));
  }

  Outcome<bool> decisions() {
    DecisionFilter filter;
    filter.from = api_.now() - Duration{PolicyHits::days_kept * 24 * 3'600'000};
    FERMATA_TRY(page, api_.policy().store().decisions(filter, page_size, cursor_));
    for (const job::PolicyDecision& decision : page.items) {
      api_.hub().policy_hits().remember(decision);
      api_.hub().policy_hits().remember_until(decision.at);
    }
    bool more = turned(page.items.size(), std::move(page.next_cursor));
    if (cursor_.empty()) api_.hub().policy_hits().remember_until(*filter.from);
    return more;
  }

  Outcome<bool> jobs() {
    JobFilter filter;
    for (auto i = static_cast<size_t>(job::State::none) + 1; i <= size_t{255}; ++i) {
      auto state = static_cast<job::State>(i);
      if (job::is_terminal(state)) break;
      filter.states.push_back(state);
    }
    FERMATA_TRY(page, api_.reader().list_jobs(filter, page_size, cursor_));
    for (const job::Summary& summary : page.items) {
      if (!summary.next_due) continue;
      auto job = routes::own_job(api_, summary.account, summary.id);
      if (job) api_.hub().agenda().read(*job);
    }
    return turned(page.items.size(), std::move(page.next_cursor));
  }

  Api& api_;
  const Instant oldest_;
  int part_ = 0;
  size_t read_ = 0;
  std::string cursor_;
  bool runs_all_ = true;
  bool agenda_all_ = true;
};

}  // namespace

void look_back(Api& api) { std::make_shared<LookBack>(api)->go_on(); }

}  // namespace fermata::server
