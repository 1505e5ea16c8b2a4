#include <algorithm>

#include "core/wait/matching.h"
#include "host/signal_desk.h"

/// What came before a wait opened, was released or ran out of time: retained signals, and those
/// that are being written (W-56, W-57, W-65).
namespace fermata {

namespace {

constexpr size_t page_signals = 64;
/// Of those that fit a listener the first counts, unless its run has used it already.
constexpr size_t fits_max = 16;

std::vector<const Wait*> concerned(const Run& run, const Command& command, Instant now) {
  const auto* release = std::get_if<ReleaseWaits>(&command.body);
  bool wakes = std::holds_alternative<WakeRun>(command.body);
  bool resumes = std::holds_alternative<ResumeRun>(command.body);
  std::vector<const Wait*> waits;
  if ((!release && !wakes && !resumes) || run.finished()) return waits;
  for (const auto& [key, wait] : run.waits) {
    if (!wait.listens() || !is_pending(wait.status)) continue;
    // One that waits for room within a limit is not passed over by its own timeout (W-80).
    bool held = !wait.hold.empty() && !(wakes && wait.hold == held_by_limit);
    if (wakes ? !held && wait.due && *wait.due <= now : held) waits.push_back(&wait);
  }
  return waits;
}

WaitRecord record_of(const Run& run, const Wait& wait) {
  return {run.account, run.workflow, run.id, run.contact_id, wait};
}

bool any_fits(const WaitRecord& record, const Signal& signal) {
  waits::ListenerPlace place{record.account, record.run, record.contact_id, record.wait.due};
  return std::any_of(
      record.wait.listeners.begin(), record.wait.listeners.end(), [&](const Listener& listener) {
        return listener.status == ListenerStatus::active && waits::fits(listener, place, signal);
      });
}

SignalWindow window_of(const WaitRecord& record, const Listener& listener, Instant now) {
  SignalWindow window{.account = record.account,
                      .type = listener.event_type,
                      .from = *listener.window_start,
                      .to = record.wait.due ? std::min(now, *record.wait.due) : now};
  window.run = record.run;
  if (listener.scope == "contact") window.contact_id = record.contact_id;
  if (listener.scope == "account") window.run = RunId();
  window.phone = listener.phone;
  return window;
}

void in_order(std::vector<SignalRef>& signals) {
  std::stable_sort(signals.begin(), signals.end(), [](const SignalRef& a, const SignalRef& b) {
    return a->received_at < b->received_at;
  });
  auto same = [](const SignalRef& a, const SignalRef& b) { return a->id == b->id; };
  signals.erase(std::unique(signals.begin(), signals.end(), same), signals.end());
}

}  // namespace

void SignalDesk::each_coming(const WaitRecord& record, const std::function<void(Plan&)>& visit) {
  bool wide =
      std::any_of(record.wait.listeners.begin(), record.wait.listeners.end(),
                  [](const Listener& one) { return one.scope == "account" || !one.phone.empty(); });
  if (wide) {
    for (auto& [key, plan] : plans_)
      if (is_coming(plan)) visit(plan);
    return;
  }
  const std::string& account = record.account.text();
  for (const std::string& lane :
       {account + "\ncontact\n" + record.contact_id, account + "\nrun\n" + record.run.text()}) {
    auto found = lanes_.find(lane);
    if (found == lanes_.end()) continue;
    for (const SignalKey& key : found->second)
      if (Plan& plan = plans_.at(key); is_coming(plan)) visit(plan);
  }
}

std::vector<SignalRef> SignalDesk::look_back(const WaitRecord& record, Instant now) {
  std::vector<SignalRef> found;
  waits::ListenerPlace place{record.account, record.run, record.contact_id, record.wait.due};
  for (const Listener& listener : record.wait.listeners) {
    if (listener.status != ListenerStatus::active || !listener.window_start) continue;
    SignalWindow window = window_of(record, listener, now);
    size_t fits = 0;
    uint64_t after = 0;
    for (bool more = true; more && fits < fits_max;) {
      auto page = store_.signals_in(window, after, page_signals);
      if (!page) {
        unread_ = page.error();
        return {};
      }
      for (const SignalRef& signal : page->signals) {
        if (!waits::fits(listener, place, *signal)) continue;
        auto plan = plans_.find(key_of(*signal));
        if (plan != plans_.end() && is_coming(plan->second)) continue;
        found.push_back(signal);
        if (++fits == fits_max) break;
      }
      after = page->place;
      more = page->more;
    }
  }
  in_order(found);
  return found;
}

std::vector<SignalRef> SignalDesk::opened(const WaitRecord& record, Instant now) {
  if (!index_.decided(record)) return {};
  each_coming(record, [&](Plan& plan) {
    if (!any_fits(record, *plan.signal)) return;
    plan.promised.insert({record.run, record.wait.id});
    if (plan.record.open) return;
    // A start after a crash would have to know that there is something to do.
    plan.record.open = true;
    write(plan);
  });
  return look_back(record, now);
}

std::vector<SignalRef> SignalDesk::retained(const Run& run, const Command& command, Instant now) {
  std::vector<SignalRef> signals;
  for (const Wait* wait : concerned(run, command, now))
    for (SignalRef& signal : look_back(record_of(run, *wait), now))
      signals.push_back(std::move(signal));
  in_order(signals);
  return signals;
}

bool SignalDesk::delays(const Run& run, const Command& command, Instant now) {
  if (run.waits.empty() || plans_.empty()) return false;
  bool delayed = false;
  for (const Wait* wait : concerned(run, command, now)) {
    WaitRecord record = record_of(run, *wait);
    each_coming(record, [&](Plan& plan) { delayed = delayed || any_fits(record, *plan.signal); });
  }
  return delayed;
}

}  // namespace fermata
