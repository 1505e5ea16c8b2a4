#include "server/look_back.h"

#include <memory>

#include "server/api.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server {
namespace {

constexpr size_t looked_back_max = 10'000;  ///< runs, live runs, and open jobs
constexpr size_t page_size = 200;

/// One walk through three lists, page by page.
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
    auto more = part_ == 0 ? day() : part_ == 1 ? live() : jobs();
    if (more && *more) return go_on();
    all_ = all_ && more && cursor_.empty();
    cursor_.clear();
    read_ = 0;
    if (++part_ < 3) return go_on();
    api_.hub().agenda().end_reading(all_);
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
      if (!summary.next_due) continue;
      auto own = routes::own_state(api_, summary.account, summary.id);
      if (own) api_.hub().agenda().read(own->run);
    }
    return turned(page.items.size(), std::move(page.next_cursor));
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
  bool all_ = true;
};

}  // namespace

void look_back(Api& api) { std::make_shared<LookBack>(api)->go_on(); }

}  // namespace fermata::server
