#include "host/job_desk.h"

/// The desk of jobs and the policy kernel.
namespace fermata {

const job::Policy* JobDesk::policy_of(const AccountId& account) {
  return policy_.of(account, kernel_.on() ? std::optional(kernel_.given()) : std::nullopt);
}

/// Which jobs are to hear of a change of policy, and which of the kernel's return.
void JobDesk::track(const JobId& job, job::State state, job::Phase phase) {
  auto keep = [&](std::set<JobId>& set, bool wanted) {
    if (wanted) {
      set.insert(job);
    } else {
      set.erase(job);
    }
  };
  keep(awaiting_, state == job::State::approval_required);
  keep(unjudged_, state == job::State::pending && phase == job::Phase::policy_unavailable);
}

void JobDesk::review_approvals() {
  for (const JobId& id : awaiting_) send(id, job::ReviewJob{});
}

void JobDesk::hear_kernel(Instant now) {
  for (JobItem& item : kernel_.gather(now)) items_.push_back(std::move(item));
  if (auto snapshot = kernel_.take_named()) {
    kernel_named_ = std::move(snapshot);
    review_approvals();
  }
  // Woken early (J-33): the question goes out at once, and its answer moves the job.
  if (kernel_.take_closed())
    for (const JobId& id : unjudged_) kernel_.ask(id, 0);
}

/// A vote, and a look at an approval, need to know what the kernel says at this moment (J-43).
bool JobDesk::needs_word(const JobItem& item) const {
  if (!kernel_.on()) return false;
  const job::CommandBody& body = item.command.body;
  if (const auto* approve = std::get_if<job::ApproveJob>(&body)) return !approve->kernel;
  const auto* review = std::get_if<job::ReviewJob>(&body);
  return review && !review->kernel;
}

void JobDesk::ask_kernel(Instant now) {
  auto find = [this](const JobId& id) -> Outcome<const job::Job*> {
    if (!cache_.find(id)) FERMATA_TRY_VOID(cache_.fetch({id}));
    const OpenJob* open = cache_.find(id);
    if (!open || !open->job.exists()) return nullptr;
    if (open->undurable()) return fail(ErrorCode::store_unavailable, "the job is being written");
    return &open->job;
  };
  kernel_.send(now, find);
  outputs_.send(now, find);
}

std::optional<BreakerView> JobDesk::take_breaker_change() {
  if (kernel_.take_change()) return kernel_.view();
  if (outputs_.take_change()) return outputs_.view();
  return std::nullopt;
}

std::vector<BreakerView> JobDesk::breakers() {
  std::vector<BreakerView> views;
  if (kernel_.on()) views.push_back(kernel_.view());
  if (outputs_.on()) views.push_back(outputs_.view());
  return views;
}

bool JobDesk::reset_breaker(const std::string& name) {
  if (kernel_.on() && kernel_.view().name == name) {
    kernel_.reset();
    return true;
  }
  if (!outputs_.on() || outputs_.view().name != name) return false;
  outputs_.reset();
  return true;
}

JobLoad JobDesk::load() {
  JobLoad load;
  load.waits = waits_;
  load.under_way = outputs_.under_way() + (scans_ ? scans_->in_flight() : 0);
  if (kernel_.on()) load.under_way += kernel_.view().under_way;
  return load;
}

void JobDesk::count_wait(const JobItem& item, Instant now) {
  waits_.add(item.held_at ? (now - *item.held_at).ms : 0);
}

}  // namespace fermata
