#include "server/wait_metrics.h"

#include <algorithm>

#include "core/wait/event_types.h"
#include "server/metric_text.h"

namespace fermata::server {
namespace {

double seconds_of(Duration length) { return static_cast<double>(length.ms) / 1e3; }

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

void WaitMetrics::changed(std::span<const WaitRecord> waits) {
  std::lock_guard lock(mutex_);
  for (const WaitRecord& record : waits) {
    const Wait& wait = record.wait;
    // These two are written once and never change again.
    bool went_on = wait.status == WaitStatus::resumed || wait.status == WaitStatus::timeout;
    if (!went_on || !wait.ended_at) continue;
    std::string label = type_label(wait.type);
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
    ++rescheduled_[metric_label("cause", cause.is_string() ? cause.as_string() : "user")];
  }
}

void WaitMetrics::attempted(const Delivery& delivery) {
  bool again = delivery.state == DeliveryState::pending;
  std::lock_guard lock(mutex_);
  ++attempts_[metric_label("result", again ? "retry" : name_of(delivery.state))];
}

void WaitMetrics::signal(const std::string& type, std::string_view result, bool late,
                         double seconds) {
  std::lock_guard lock(mutex_);
  std::string label = metric_label("event_type", type);
  ++signals_[label + "," + metric_label("result", result)];
  if (late) ++late_[label];
  if (result == "accepted") match_[""].add(match_bounds, seconds);
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

void WaitMetrics::append(std::string& out, const Gauges& gauges) const {
  const WaitTally& tally = gauges.tally;
  Counters pending, held, opened, ended, upcoming, listeners, alerts;
  for (const WaitTally::Pending& one : tally.pending) {
    pending[type_label(one.type) + "," + metric_label("source", name_of(one.source))] += one.waits;
    if (!one.hold.empty()) held[metric_label("reason", one.hold)] += one.waits;
  }
  for (const WaitTally::Opened& one : tally.opened)
    opened[type_label(one.type) + "," + metric_label("source", name_of(one.source))] += one.waits;
  for (const WaitTally::Ended& one : tally.ended)
    ended[type_label(one.type) + "," + metric_label("status", name_of(one.status)) + "," +
          metric_label("resumed_by", one.resumed_by)] += one.waits;
  upcoming[metric_label("window", "1h")] = tally.due_next_hour;
  upcoming[metric_label("window", "24h")] = tally.due_next_day;
  for (const auto& [type, count] : tally.listeners) {
    bool known = waits::is_built_in_event_type(type) || gauges.registered_types.contains(type);
    listeners[metric_label("event_type", known ? type : "other")] += count;
  }
  uint64_t overdue = 0;
  double oldest = 0;
  for (const OverdueWaits& one : gauges.overdue) {
    overdue += one.waits;
    oldest = std::max(oldest, seconds_of(gauges.now - one.oldest));
  }
  double listener_age =
      tally.oldest_listener ? std::max(0.0, seconds_of(gauges.now - *tally.oldest_listener)) : 0.0;
  append_metric(out, "fermata_waits_pending", "gauge", "Waits that have not ended.", pending);
  append_metric(out, "fermata_waits_on_hold", "gauge", "Waits that are held.", held);
  append_metric(out, "fermata_waits_opened_total", "counter", "Waits that were opened.", opened);
  append_metric(out, "fermata_waits_ended_total", "counter", "Waits that ended.", ended);
  append_metric(out, "fermata_waits_upcoming", "gauge", "Waits that fall due soon.", upcoming);
  append_metric(out, "fermata_waits_overdue", "gauge", "Waits that should have ended.",
                alone(overdue));
  append_metric(out, "fermata_wait_overdue_oldest_seconds", "gauge",
                "How late the oldest of them is.", alone(oldest));
  append_metric(out, "fermata_wait_overdue_alert", "gauge",
                "1 while an account's waits are overdue for longer than it accepts.",
                alone(uint64_t{gauges.alerts.empty() ? 0U : 1U}));
  append_metric(out, "fermata_listeners_active", "gauge", "Listeners that wait for a signal.",
                listeners);
  append_metric(out, "fermata_listener_oldest_seconds", "gauge",
                "How long the oldest of them has listened, to the minute.", alone(listener_age));
  append_metric(out, "fermata_wait_resume_retries_total", "counter",
                "Resumes that were tried again.", alone(gauges.resumes_delayed));
  append_metric(out, "fermata_callbacks_pending", "gauge", "Callbacks that are to be delivered.",
                alone(gauges.callbacks_pending));
  append_metric(out, "fermata_tzdata_info", "gauge", "The zone data in force.",
                Counters{{metric_label("version", gauges.tzdata), 1}});
  append_counted(out);
}

}  // namespace fermata::server
