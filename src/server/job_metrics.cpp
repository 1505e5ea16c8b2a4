#include "server/job_metrics.h"

#include <algorithm>

#include "core/fleet/view.h"
#include "server/metric_text.h"

namespace fermata::server {
namespace {

std::string name_of_pool(const std::string& pool) { return pool.empty() ? "default" : pool; }

template <class Number>
void append_family(std::string& out, std::string_view name, std::string_view kind,
                   std::string_view help, const std::map<std::string, Number>& values) {
  append_metric(out, "fermata_" + std::string(name), kind, help, values);
}

}  // namespace

const std::string& JobMetrics::topic_of(const std::string& topic) {
  static const std::string other = "other";
  if (auto known = topics_.find(topic); known != topics_.end()) return *known;
  return topics_.size() < topics_max ? *topics_.insert(topic).first : other;
}

void JobMetrics::happened(const job::Job& state, std::span<const job::Event> events) {
  std::lock_guard lock(mutex_);
  for (const job::Event& event : events) count(state, event);
  if (state.state == job::State::approval_required) {
    awaiting_.insert(state.id);
  } else {
    awaiting_.erase(state.id);
  }
}

void JobMetrics::recovered(std::span<const job::Summary> awaiting) {
  std::lock_guard lock(mutex_);
  for (const job::Summary& job : awaiting) awaiting_.insert(job.id);
  recovered_ = true;
}

bool JobMetrics::knows_all() const {
  std::lock_guard lock(mutex_);
  return recovered_;
}

void JobMetrics::count(const job::Job& state, const job::Event& event) {
  const std::string& topic = topic_of(state.request.topic);
  std::string by_topic = metric_label("topic", topic);
  const job::EventBody& body = event.body;
  if (std::holds_alternative<job::JobSubmitted>(body)) ++received_[by_topic];
  if (const auto* dispatched = std::get_if<job::JobDispatched>(&body)) {
    ++dispatched_[by_topic];
    const job::Attempt* attempt = state.find_attempt(dispatched->fence);
    if (!attempt || !attempt->ready_at) return;
    dispatch_latency_[by_topic].add(buckets_ms, (event.at - *attempt->ready_at).ms);
  }
  // An approval is over when people have let the job go or have not; a new policy is neither.
  bool answered = std::holds_alternative<job::JobApproved>(body);
  if (const auto* denied = std::get_if<job::JobDenied>(&body))
    answered =
        denied->reason_code == "approval_rejected" || denied->reason_code == "approval_expired";
  if (answered && state.approval)
    approval_wait_[""].add(wait_buckets_ms, (event.at - state.approval->asked_at).ms);
  if (const auto* postponed = std::get_if<job::JobPostponed>(&body))
    if (postponed->phase == job::Phase::policy_unavailable) ++unavailable_[by_topic];
  if (const auto* end = std::get_if<job::JobAttemptEnded>(&body))
    ++attempts_[by_topic + "," + metric_label("outcome", name_of(end->outcome))];
  if (std::holds_alternative<job::JobSucceeded>(body)) ended(by_topic, job::State::succeeded);
  if (std::holds_alternative<job::JobFailed>(body)) ended(by_topic, job::State::failed);
  if (std::holds_alternative<job::JobTimedOut>(body)) ended(by_topic, job::State::timeout);
  if (std::holds_alternative<job::JobCancelled>(body)) ended(by_topic, job::State::cancelled);
  if (std::holds_alternative<job::JobDenied>(body)) ended(by_topic, job::State::denied);
  count_output(event, by_topic);
}

void JobMetrics::count_output(const job::Event& event, const std::string& by_topic) {
  const job::EventBody& body = event.body;
  if (std::holds_alternative<job::JobQuarantined>(body)) {
    ++outputs_quarantined_[by_topic];
    ended(by_topic, job::State::output_quarantined);
  }
  const auto* judged = std::get_if<job::OutputJudged>(&body);
  if (!judged) return;
  ++outputs_checked_[by_topic];
  if (judged->verdict.unscanned) ++outputs_skipped_[by_topic];
  if (judged->verdict.decision == job::OutputDecision::redact) ++outputs_redacted_[by_topic];
  if (judged->verdict.micros > 0)
    check_latency_[by_topic + "," + metric_label("phase", "content")].add(
        buckets_ms, static_cast<int64_t>(judged->verdict.micros) / 1'000);
}

void JobMetrics::ended(const std::string& by_topic, job::State state) {
  ++completed_[by_topic + "," + metric_label("status", name_of(state))];
}

void JobMetrics::planned(const job::Job& state, uint64_t micros) {
  std::lock_guard lock(mutex_);
  std::string labels = metric_label("topic", topic_of(state.request.topic)) + "," +
                       metric_label("phase", "metadata");
  check_latency_[labels].add(buckets_ms, static_cast<int64_t>(micros) / 1'000);
}

void JobMetrics::judged(const job::PolicyDecision& decision) {
  std::lock_guard lock(mutex_);
  ++decisions_[metric_label("decision", job::name_of(decision.decision)) + "," +
               metric_label("source", decision.source)];
  if (decision.source == "rules")
    policy_eval_[""].add(eval_buckets_us, static_cast<int64_t>(decision.micros));
  std::string topic = metric_label("topic", topic_of(decision.topic));
  if (decision.decision == job::VerdictKind::deny) ++denied_[topic];
  if (decision.source == "fail_open") {
    ++unavailable_[topic];
    ++fail_open_[topic];
  }
}

void JobMetrics::rejected(job::Answer answer) {
  std::lock_guard lock(mutex_);
  ++rejected_[metric_label("kind", name_of(answer))];
}

void JobMetrics::replayed(const job::Summary& summary) {
  std::lock_guard lock(mutex_);
  ++replayed_[metric_label("topic", topic_of(summary.topic))];
}

void JobMetrics::swept(const std::map<job::State, uint64_t>& stale) {
  std::lock_guard lock(mutex_);
  for (auto& [state, count] : stale_) count = 0;
  for (const auto& [state, count] : stale) stale_[state] = count;
}

JobMetrics::Gauges JobMetrics::gauges_of(Workers& workers, Instant now) {
  Gauges gauges;
  gauges.load = workers.load();
  for (const BreakerView& view : workers.breakers()) {
    std::string kernel = metric_label("kernel", view.name);
    for (auto state : {breaker::State::closed, breaker::State::open, breaker::State::half_open})
      gauges.breaker_state[kernel + "," + metric_label("state", name_of(state))] =
          state == view.state ? 1 : 0;
    gauges.breaker_probes[kernel] = view.probes_sent;
  }
  const fleet::Fleet& fleet = workers.fleet();
  for (const fleet::Queue::Depth& depth : fleet.queue().depths(now)) {
    std::string pool = metric_label("pool", name_of_pool(depth.pool));
    gauges.queue_depth[pool + "," + metric_label("priority", name_of(depth.priority)) + "," +
                       metric_label("phase", job::name_of(fleet::phase_of(depth.reason)))] +=
        depth.jobs;
    double& oldest = gauges.queue_oldest_seconds[pool];
    oldest = std::max(oldest, static_cast<double>((now - depth.oldest).ms) / 1e3);
  }
  for (const auto& [id, registration] : fleet.registrations()) {
    std::string pool = metric_label("pool", name_of_pool(registration.card.pool));
    gauges.leases_held[pool] += registration.leases.size();
    ++gauges.workers[pool + "," + metric_label("status", fleet::view::status_of(registration))];
  }
  return gauges;
}

void JobMetrics::Histogram::add(const std::array<int64_t, 9>& bounds, int64_t value) {
  auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value);
  ++counts[static_cast<size_t>(bucket - bounds.begin())];
  sum += value;
}

void JobMetrics::append_histograms(std::string& out, std::string_view name, std::string_view help,
                                   const std::array<int64_t, 9>& bounds, double per_second,
                                   const Histograms& values) {
  std::string whole = "fermata_" + std::string(name);
  out.append("# HELP ").append(whole).append(" ").append(help);
  out.append("\n# TYPE ").append(whole).append(" histogram\n");
  for (const auto& [labels, histogram] : values) {
    uint64_t sum = 0;
    for (size_t i = 0; i < histogram.counts.size(); ++i) {
      sum += histogram.counts[i];
      std::string bound =
          i < bounds.size() ? number_to_text(static_cast<double>(bounds[i]) / per_second) : "+Inf";
      out.append(whole).append("_bucket{").append(labels).append(labels.empty() ? "" : ",");
      out.append("le=\"").append(bound).append("\"} ").append(std::to_string(sum)).append("\n");
    }
    std::string of = labels.empty() ? "" : "{" + labels + "}";
    out.append(whole).append("_sum").append(of).append(" ");
    out.append(number_to_text(static_cast<double>(histogram.sum) / per_second)).append("\n");
    out.append(whole).append("_count").append(of).append(" ");
    out.append(std::to_string(sum)).append("\n");
  }
}

void JobMetrics::append_outputs(std::string& out, const Gauges& gauges) const {
  append_family(out, "output_policy_checked_total", "counter", "Results that were judged.",
                outputs_checked_);
  append_family(out, "output_policy_quarantined_total", "counter", "Results that were refused.",
                outputs_quarantined_);
  append_family(out, "output_policy_skipped_total", "counter",
                "Results that passed because they could not be scanned.", outputs_skipped_);
  append_family(out, "output_fail_open_total", "counter", "The same, by the fail mode.",
                outputs_skipped_);
  append_family(out, "output_redacted_total", "counter", "Results that were redacted.",
                outputs_redacted_);
  append_histograms(out, "output_check_latency", "Seconds to judge a result.", buckets_ms, 1e3,
                    check_latency_);
  append_family(out, "output_held", "gauge", "Outputs that are held back.",
                std::map<std::string, uint64_t>{{"", gauges.outputs_held}});
  std::map<std::string, uint64_t> modes;
  for (std::string_view mode : {"closed", "open"})
    modes[metric_label("mode", mode)] = mode == gauges.output_fail_mode ? 1 : 0;
  append_family(out, "output_fail_mode", "gauge", "What becomes of results that cannot be scanned.",
                modes);
}

void JobMetrics::append_load(std::string& out, const JobLoad& load) {
  Histogram waits{load.waits.counts, load.waits.sum_ms};
  append_histograms(out, "job_lock_wait", "Seconds that a command waited for its job.", buckets_ms,
                    1e3, {{"", waits}});
  append_family(out, "active_goroutines", "gauge",
                "Calls of policy kernels, probes and scans under way.",
                std::map<std::string, uint64_t>{{"", load.under_way}});
}

void JobMetrics::append(std::string& out, const Gauges& gauges) const {
  std::lock_guard lock(mutex_);
  append_family(out, "jobs_received_total", "counter", "Jobs submitted.", received_);
  append_family(out, "jobs_dispatched_total", "counter", "Attempts given to workers.", dispatched_);
  append_family(out, "jobs_completed_total", "counter", "Jobs that ended.", completed_);
  append_family(out, "job_attempts_total", "counter", "Attempts that ended.", attempts_);
  append_family(out, "safety_denied_total", "counter", "Jobs that policy refused.", denied_);
  append_family(out, "safety_unavailable_total", "counter",
                "Times the policy kernel could not be asked about a job.", unavailable_);
  append_family(out, "input_fail_open_total", "counter",
                "Jobs let through because the policy kernel could not be asked.", fail_open_);
  append_family(out, "policy_decisions_total", "counter", "What policy has said of jobs.",
                decisions_);
  append_family(out, "worker_reports_rejected_total", "counter",
                "Words of workers that changed nothing.", rejected_);
  append_family(out, "orphan_replayed_total", "counter",
                "Jobs that nothing would have moved, moved by a sweep.", replayed_);
  std::map<std::string, uint64_t> stale;
  for (const auto& [state, count] : stale_) stale[metric_label("state", name_of(state))] = count;
  append_family(out, "stale_jobs", "gauge", "Such jobs, as the last sweep found them.", stale);
  append_histograms(out, "dispatch_latency", "Seconds from ready to leased.", buckets_ms, 1e3,
                    dispatch_latency_);
  append_histograms(out, "policy_eval", "Seconds that a decision of rules took.", eval_buckets_us,
                    1e6, policy_eval_);
  append_histograms(out, "approval_wait", "Seconds from asking to people's answer.",
                    wait_buckets_ms, 1e3, approval_wait_);
  std::map<std::string, uint64_t> awaiting{{"", awaiting_.size()}};
  append_family(out, "approvals_pending", "gauge", "Jobs that await people's approval.", awaiting);
  append_outputs(out, gauges);
  append_load(out, gauges.load);
  append_family(out, "job_queue_depth", "gauge", "Jobs waiting for workers.", gauges.queue_depth);
  append_family(out, "job_queue_oldest_seconds", "gauge", "How long the oldest has waited.",
                gauges.queue_oldest_seconds);
  append_family(out, "leases_held", "gauge", "Leases of workers.", gauges.leases_held);
  append_family(out, "workers", "gauge", "Workers that are known.", gauges.workers);
  append_family(out, "dlq_open", "gauge", "Open entries of the dead letter queue.",
                gauges.dead_letters_open);
  append_family(out, "breaker_state", "gauge", "1 for the state that a breaker is in.",
                gauges.breaker_state);
  append_family(out, "breaker_probes_total", "counter",
                "Calls that probed a kernel behind a half open breaker.", gauges.breaker_probes);
}

}  // namespace fermata::server
