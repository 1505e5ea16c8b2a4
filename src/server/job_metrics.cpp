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
    note(dispatch_latency_[by_topic], (event.at - *attempt->ready_at).ms);
  }
  if (const auto* end = std::get_if<job::JobAttemptEnded>(&body))
    ++attempts_[by_topic + "," + metric_label("outcome", name_of(end->outcome))];
  if (std::holds_alternative<job::JobSucceeded>(body)) ended(by_topic, job::State::succeeded);
  if (std::holds_alternative<job::JobFailed>(body)) ended(by_topic, job::State::failed);
  if (std::holds_alternative<job::JobTimedOut>(body)) ended(by_topic, job::State::timeout);
  if (std::holds_alternative<job::JobCancelled>(body)) ended(by_topic, job::State::cancelled);
  if (std::holds_alternative<job::JobDenied>(body)) ended(by_topic, job::State::denied);
  count_output(event, by_topic);
}

void JobMetrics::note(Latency& latency, int64_t took_ms) {
  auto bucket = std::lower_bound(buckets_ms.begin(), buckets_ms.end(), took_ms);
  ++latency.counts[static_cast<size_t>(bucket - buckets_ms.begin())];
  latency.sum_ms += took_ms;
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
    note(check_latency_[by_topic + "," + metric_label("phase", "content")],
         static_cast<int64_t>(judged->verdict.micros) / 1'000);
}

void JobMetrics::ended(const std::string& by_topic, job::State state) {
  ++completed_[by_topic + "," + metric_label("status", name_of(state))];
}

void JobMetrics::planned(const job::Job& state, uint64_t micros) {
  std::lock_guard lock(mutex_);
  note(check_latency_[metric_label("topic", topic_of(state.request.topic)) + "," +
                      metric_label("phase", "metadata")],
       static_cast<int64_t>(micros) / 1'000);
}

void JobMetrics::judged(const job::PolicyDecision& decision) {
  std::lock_guard lock(mutex_);
  ++decisions_[metric_label("decision", job::name_of(decision.decision)) + "," +
               metric_label("source", decision.source)];
  if (decision.decision == job::VerdictKind::deny)
    ++denied_[metric_label("topic", topic_of(decision.topic))];
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

JobMetrics::Gauges JobMetrics::gauges_of(const fleet::Fleet& fleet, Instant now) {
  Gauges gauges;
  for (const fleet::Queue::Depth& depth : fleet.queue().depths()) {
    std::string pool = metric_label("pool", name_of_pool(depth.pool));
    gauges.queue_depth[pool + "," + metric_label("priority", name_of(depth.priority)) + "," +
                       metric_label("phase", depth.profiles > 0 ? "ready" : "no_workers")] +=
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

void JobMetrics::append_latency(std::string& out, std::string_view name, std::string_view help,
                                const std::map<std::string, Latency>& latencies) const {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
  out.append(name).append(" histogram\n");
  for (const auto& [labels, latency] : latencies) {
    uint64_t sum = 0;
    for (size_t i = 0; i < latency.counts.size(); ++i) {
      sum += latency.counts[i];
      std::string bound =
          i < buckets_ms.size() ? number_to_text(static_cast<double>(buckets_ms[i]) / 1e3) : "+Inf";
      out.append(name).append("_bucket{").append(labels).append(",le=\"").append(bound);
      out.append("\"} ").append(std::to_string(sum)).append("\n");
    }
    out.append(name).append("_sum{").append(labels).append("} ");
    out.append(number_to_text(static_cast<double>(latency.sum_ms) / 1e3)).append("\n");
    out.append(name).append("_count{").append(labels).append("} ");
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
  append_latency(out, "fermata_output_check_latency", "Seconds to judge a result.", check_latency_);
  append_family(out, "output_held", "gauge", "Outputs that are held back.",
                std::map<std::string, uint64_t>{{"", gauges.outputs_held}});
  std::map<std::string, uint64_t> modes;
  for (std::string_view mode : {"closed", "open"})
    modes[metric_label("mode", mode)] = mode == gauges.output_fail_mode ? 1 : 0;
  append_family(out, "output_fail_mode", "gauge", "What becomes of results that cannot be scanned.",
                modes);
}

void JobMetrics::append(std::string& out, const Gauges& gauges) const {
  std::lock_guard lock(mutex_);
  append_family(out, "jobs_received_total", "counter", "Jobs submitted.", received_);
  append_family(out, "jobs_dispatched_total", "counter", "Attempts given to workers.", dispatched_);
  append_family(out, "jobs_completed_total", "counter", "Jobs that ended.", completed_);
  append_family(out, "job_attempts_total", "counter", "Attempts that ended.", attempts_);
  append_family(out, "safety_denied_total", "counter", "Jobs that policy refused.", denied_);
  append_family(out, "policy_decisions_total", "counter", "What policy has said of jobs.",
                decisions_);
  append_family(out, "worker_reports_rejected_total", "counter",
                "Words of workers that changed nothing.", rejected_);
  append_family(out, "orphan_replayed_total", "counter",
                "Jobs that nothing would have moved, moved by a sweep.", replayed_);
  std::map<std::string, uint64_t> stale;
  for (const auto& [state, count] : stale_) stale[metric_label("state", name_of(state))] = count;
  append_family(out, "stale_jobs", "gauge", "Such jobs, as the last sweep found them.", stale);
  append_latency(out, "fermata_dispatch_latency", "Seconds from ready to leased.",
                 dispatch_latency_);
  append_outputs(out, gauges);
  append_family(out, "job_queue_depth", "gauge", "Jobs waiting for workers.", gauges.queue_depth);
  append_family(out, "job_queue_oldest_seconds", "gauge", "How long the oldest has waited.",
                gauges.queue_oldest_seconds);
  append_family(out, "leases_held", "gauge", "Leases of workers.", gauges.leases_held);
  append_family(out, "workers", "gauge", "Workers that are known.", gauges.workers);
  append_family(out, "dlq_open", "gauge", "Open entries of the dead letter queue.",
                gauges.dead_letters_open);
}

}  // namespace fermata::server
