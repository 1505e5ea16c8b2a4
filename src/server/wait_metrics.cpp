#include "server/wait_metrics.h"

#include <algorithm>

#include "core/wait/event_types.h"
#include "server/metric_text.h"

namespace fermata::server {
namespace {

double seconds_of(Duration length) { return static_cast<double>(length.ms) / 1e3; }

const std::string other_account = metric_label("account", "other");

/// Labels of two kinds, of which the first may be missing.
std::string joined(const std::string& first, const std::string& labels) {
  if (first.empty() || labels.empty()) return first + labels;
  return first + "," + labels;
}

std::string type_label(const std::string& type) { return metric_label("wait_type", type); }

/// One number without labels.
template <class Number>
std::map<std::string, Number> alone(Number number) {
  return {{"", number}};
}

}  // namespace

void WaitMetrics::Histogram::add(const std::array<double, 10>& bounds, double value) {
  auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  ++counts[static_cast<size_t>(bucket)];
  sum += value;
}

void WaitMetrics::name_accounts(size_t most) { accounts_max_ = most; }

bool WaitMetrics::is_named(const AccountId& account) const {
  std::lock_guard lock(mutex_);
  return named_.contains(account);
}

std::vector<AccountId> WaitMetrics::named(std::vector<AccountId> accounts) {
  std::lock_guard lock(mutex_);
  std::erase_if(accounts, [&](const AccountId& one) { return label_of(one) == other_account; });
  return accounts;
}

/// Asks for the lock to be held. Whoever came first keeps its name.
std::string WaitMetrics::label_of(const AccountId& account) {
  if (!names_accounts()) return {};
  bool fits = named_.contains(account) || named_.size() < accounts_max_;
  if (!fits) return other_account;
  named_.insert(account);
  return metric_label("account", account.text());
}

void WaitMetrics::changed(std::span<const WaitRecord> waits) {
  std::lock_guard lock(mutex_);
  for (const WaitRecord& record : waits) {
    const Wait& wait = record.wait;
    // These two are written once and never change again.
    bool went_on = wait.status == WaitStatus::resumed || wait.status == WaitStatus::timeout;
    if (!went_on || !wait.ended_at) continue;
    std::string label = joined(label_of(record.account), type_label(wait.type));
    durations_[label].add(duration_bounds, seconds_of(*wait.ended_at - wait.reached_at));
    bool by_time = wait.resumed_by == "scheduler" || wait.resumed_by == "timeout";
    if (by_time && wait.due)
      lateness_[label].add(lateness_bounds, std::max(0.0, seconds_of(*wait.ended_at - *wait.due)));
  }
}

void WaitMetrics::audited(std::span<const AuditLine> lines) {
  for (const AuditLine& line : lines) {
    if (line.action != "wait.rescheduled") continue;
    const Value& cause = line.details.get("cause");
    std::lock_guard lock(mutex_);
    ++rescheduled_[joined(label_of(line.account),
                          metric_label("cause", cause.is_string() ? cause.as_string() : "user"))];
  }
}

void WaitMetrics::attempted(const Delivery& delivery) {
  bool again = delivery.state == DeliveryState::pending;
  std::lock_guard lock(mutex_);
  ++attempts_[joined(label_of(delivery.account),
                     metric_label("result", again ? "retry" : name_of(delivery.state)))];
}

void WaitMetrics::signal(const AccountId& account, const std::string& type, std::string_view result,
                         bool late, double seconds) {
  std::lock_guard lock(mutex_);
  std::string label = joined(label_of(account), metric_label("event_type", type));
  ++signals_[label + "," + metric_label("result", result)];
  if (late) ++late_[label];
  if (result == "accepted") match_[label_of(account)].add(match_bounds, seconds);
}

void WaitMetrics::append_histograms(std::string& out, std::string_view name, std::string_view help,
                                    const std::array<double, 10>& bounds,
                                    const Histograms& values) {
  out.append("# HELP ").append(name).append(" ").append(help);
  out.append("\n# TYPE ").append(name).append(" histogram\n");
  for (const auto& [labels, histogram] : values) {
    std::string lead = labels.empty() ? "" : labels + ",";
    std::string braced = labels.empty() ? "" : "{" + labels + "}";
    uint64_t sum = 0;
    for (size_t i = 0; i < histogram.counts.size(); ++i) {
      sum += histogram.counts[i];
      std::string bound = i < bounds.size() ? number_to_text(bounds[i]) : "+Inf";
      out.append(name).append("_bucket{").append(lead).append("le=\"").append(bound);
      out.append("\"} ").append(std::to_string(sum)).append("\n");
    }
    out.append(name).append("_sum").append(braced).append(" ");
    out.append(number_to_text(histogram.sum)).append("\n");
    out.append(name).append("_count").append(braced).append(" ");
    out.append(std::to_string(sum)).append("\n");
  }
}

void WaitMetrics::append_counted(std::string& out) const {
  std::lock_guard lock(mutex_);
  append_histograms(out, "fermata_wait_duration_seconds", "How long waits lasted.", duration_bounds,
                    durations_);
  append_histograms(out, "fermata_wait_lateness_seconds",
                    "From the instant of a wait to its resume.", lateness_bounds, lateness_);
  append_histograms(out, "fermata_signal_match_seconds", "From a signal's arrival to its answer.",
                    match_bounds, match_);
  append_metric(out, "fermata_waits_rescheduled_total", "counter",
                "Waits that got another instant.", rescheduled_);
  append_metric(out, "fermata_callback_attempts_total", "counter", "Attempts to deliver callbacks.",
                attempts_);
  append_metric(out, "fermata_signals_received_total", "counter", "Signals that were answered.",
                signals_);
  append_metric(out, "fermata_signals_late_total", "counter",
                "Signals for waits that had just ended.", late_);
}

namespace {

using Counts = std::map<std::string, uint64_t>;

/// What the store keeps count of, by the labels of each family.
struct Families {
  Counts pending, held, opened, ended, upcoming, listeners;
};

Families families_of(const WaitTally& tally, const std::set<std::string>& registered_types) {
  Families out;
  for (const WaitTally::Pending& one : tally.pending) {
    out.pending[type_label(one.type) + "," + metric_label("source", name_of(one.source))] +=
        one.waits;
    if (!one.hold.empty()) out.held[metric_label("reason", one.hold)] += one.waits;
  }
  for (const WaitTally::Opened& one : tally.opened)
    out.opened[type_label(one.type) + "," + metric_label("source", name_of(one.source))] +=
        one.waits;
  for (const WaitTally::Ended& one : tally.ended)
    out.ended[type_label(one.type) + "," + metric_label("status", name_of(one.status)) + "," +
              metric_label("resumed_by", one.resumed_by)] += one.waits;
  out.upcoming[metric_label("window", "1h")] = tally.due_next_hour;
  out.upcoming[metric_label("window", "24h")] = tally.due_next_day;
  for (const auto& [type, count] : tally.listeners) {
    bool known = waits::is_built_in_event_type(type) || registered_types.contains(type);
    out.listeners[metric_label("event_type", known ? type : "other")] += count;
  }
  return out;
}

/// The numbers by account: each that is named, and what is left of the whole.
Counts by_account(const Counts& whole, Counts Families::* family,
                  const std::vector<std::pair<std::string, Families>>& parts) {
  Counts rest = whole;
  Counts out;
  for (const auto& [account, part] : parts)
    for (const auto& [labels, count] : part.*family) {
      out[joined(account, labels)] = count;
      auto left = rest.find(labels);
      // The parts were read a moment later than the whole.
      if (left != rest.end()) left->second -= std::min(left->second, count);
    }
  for (const auto& [labels, count] : rest)
    if (count > 0) out[joined(other_account, labels)] = count;
  return out;
}

double age_of(const std::optional<Instant>& since, Instant now) {
  return since ? std::max(0.0, seconds_of(now - *since)) : 0.0;
}

}  // namespace

void WaitMetrics::append_tally(std::string& out, const Gauges& gauges) const {
  const Families whole = families_of(gauges.tally, gauges.registered_types);
  std::vector<std::pair<std::string, Families>> parts;
  std::map<std::string, double> ages;
  bool named_has_oldest = !gauges.tally.oldest_listener;
  for (const auto& [account, tally] : gauges.accounts) {
    std::string label = metric_label("account", account.text());
    parts.emplace_back(label, families_of(tally, gauges.registered_types));
    if (!tally.oldest_listener) continue;
    ages[label] = age_of(tally.oldest_listener, gauges.now);
    named_has_oldest = named_has_oldest || tally.oldest_listener == gauges.tally.oldest_listener;
  }
  double age = age_of(gauges.tally.oldest_listener, gauges.now);
  if (!names_accounts()) ages = alone(age);
  if (names_accounts() && !named_has_oldest) ages[other_account] = age;
  auto add = [&](const char* name, const char* kind, const char* help, Counts Families::* family) {
    append_metric(out, name, kind, help,
                  names_accounts() ? by_account(whole.*family, family, parts) : whole.*family);
  };
  add("fermata_waits_pending", "gauge", "Waits that have not ended.", &Families::pending);
  add("fermata_waits_on_hold", "gauge", "Waits that are held.", &Families::held);
  add("fermata_waits_opened_total", "counter", "Waits that were opened.", &Families::opened);
  add("fermata_waits_ended_total", "counter", "Waits that ended.", &Families::ended);
  add("fermata_waits_upcoming", "gauge", "Waits that fall due soon.", &Families::upcoming);
  add("fermata_listeners_active", "gauge", "Listeners that wait for a signal.",
      &Families::listeners);
  append_metric(out, "fermata_listener_oldest_seconds", "gauge",
                "How long the oldest of them has listened, to the minute.", ages);
}

void WaitMetrics::append_overdue(std::string& out, const Gauges& gauges) const {
  Counts overdue, alerts;
  std::map<std::string, double> oldest;
  auto label = [&](const AccountId& account) -> std::string {
    if (!names_accounts()) return "";
    return is_named(account) ? metric_label("account", account.text()) : other_account;
  };
  if (!names_accounts()) {
    overdue[""] = 0;
    oldest[""] = 0;
    alerts[""] = 0;
  }
  for (const auto& [account, tally] : gauges.accounts) {
    overdue[label(account)] = 0;
    oldest[label(account)] = 0;
    alerts[label(account)] = 0;
  }
  for (const OverdueWaits& one : gauges.overdue) {
    overdue[label(one.account)] += one.waits;
    double& age = oldest[label(one.account)];
    age = std::max(age, seconds_of(gauges.now - one.oldest));
  }
  for (const AccountId& account : gauges.alerts) alerts[label(account)] = 1;
  append_metric(out, "fermata_waits_overdue", "gauge", "Waits that should have ended.", overdue);
  append_metric(out, "fermata_wait_overdue_oldest_seconds", "gauge",
                "How late the oldest of them is.", oldest);
  append_metric(out, "fermata_wait_overdue_alert", "gauge",
                "1 while an account's waits are overdue for longer than it accepts.", alerts);
}

void WaitMetrics::append(std::string& out, const Gauges& gauges) const {
  append_tally(out, gauges);
  append_overdue(out, gauges);
  append_metric(out, "fermata_wait_resume_retries_total", "counter",
                "Resumes that were tried again.", alone(gauges.resumes_delayed));
  append_metric(out, "fermata_callbacks_pending", "gauge", "Callbacks that are to be delivered.",
                alone(gauges.callbacks_pending));
  append_metric(out, "fermata_tzdata_info", "gauge", "The zone data in force.",
                Counters{{metric_label("version", gauges.tzdata), 1}});
  append_counted(out);
}

}  // namespace fermata::server
