#include "server/saga_metrics.h"

#include <algorithm>

#include "base/json.h"
#include "core/run/history.h"

namespace fermata::server {
namespace {

void append_number(std::string& out, std::string_view name, std::string_view kind,
                   std::string_view help, uint64_t number) {
  out.append("# HELP fermata_").append(name).append(" ").append(help);
  out.append("\n# TYPE fermata_").append(name).append(" ").append(kind);
  out.append("\nfermata_").append(name).append(" ").append(std::to_string(number)).append("\n");
}

}  // namespace

void SagaMetrics::follow(const RunSummary& summary) {
  bool parked = summary.saga == SagaStatus::parked;
  bool under_way = parked || summary.saga == SagaStatus::rolling_back;
  if (under_way) active_.insert(summary.id);
  if (!under_way) active_.erase(summary.id);
  if (parked) parked_.insert(summary.id);
  if (!parked) parked_.erase(summary.id);
}

void SagaMetrics::committed(const RunSummary& summary, const HistoryChunk& chunk) {
  auto events = decode_history(chunk);
  std::lock_guard lock(mutex_);
  follow(summary);
  if (!events) return;
  for (const Event& event : *events) {
    if (std::holds_alternative<SagaRecorded>(event.body)) ++recorded_;
    if (std::holds_alternative<RollbackStarted>(event.body)) {
      ++triggered_;
      began_[summary.id] = event.at;
    }
    auto began = began_.find(summary.id);
    if (!std::holds_alternative<RollbackEnded>(event.body) || began == began_.end()) continue;
    int64_t ms = (event.at - began->second).ms;
    auto bucket = std::lower_bound(buckets_ms.begin(), buckets_ms.end(), ms);
    ++durations_[static_cast<size_t>(bucket - buckets_ms.begin())];
    duration_sum_ms_ += ms;
    began_.erase(began);
  }
}

void SagaMetrics::happened(const job::Job& state, std::span<const job::Event> events) {
  if (!state.undoes()) return;
  std::lock_guard lock(mutex_);
  for (const job::Event& event : events) {
    if (std::holds_alternative<job::JobSubmitted>(event.body)) ++dispatched_;
    if (std::holds_alternative<job::JobFailed>(event.body) ||
        std::holds_alternative<job::JobTimedOut>(event.body) ||
        std::holds_alternative<job::JobDenied>(event.body))
      ++failed_;
    const auto* denied = std::get_if<job::JobDenied>(&event.body);
    if (denied && denied->reason_code == "saga_unmarshal_failed") ++unreadable_;
  }
}

void SagaMetrics::recovered(std::span<const RunSummary> runs) {
  std::lock_guard lock(mutex_);
  for (const RunSummary& run : runs) follow(run);
  recovered_ = true;
}

bool SagaMetrics::knows_all() const {
  std::lock_guard lock(mutex_);
  return recovered_;
}

void SagaMetrics::append(std::string& out) const {
  std::lock_guard lock(mutex_);
  append_number(out, "saga_recorded_total", "counter", "Work done that can be undone.", recorded_);
  append_number(out, "saga_rollback_triggered_total", "counter", "Rollbacks begun.", triggered_);
  append_number(out, "saga_compensation_dispatched_total", "counter",
                "Jobs submitted to undo others.", dispatched_);
  append_number(out, "saga_compensation_failed_total", "counter",
                "Such jobs that were refused or failed.", failed_);
  append_number(out, "saga_unmarshal_error_total", "counter",
                "Requests of such jobs that could not be made.", unreadable_);
  append_number(out, "saga_active", "gauge", "Executions being undone.", active_.size());
  append_number(out, "saga_parked", "gauge", "Those of them that wait for people.", parked_.size());
  std::string_view name = "fermata_saga_rollback_duration";
  out.append("# HELP ").append(name).append(" Seconds from the first to the last of a rollback.");
  out.append("\n# TYPE ").append(name).append(" histogram\n");
  uint64_t sum = 0;
  for (size_t i = 0; i <= buckets_ms.size(); ++i) {
    sum += durations_[i];
    std::string bound =
        i < buckets_ms.size() ? number_to_text(static_cast<double>(buckets_ms[i]) / 1e3) : "+Inf";
    out.append(name).append("_bucket{le=\"").append(bound).append("\"} ");
    out.append(std::to_string(sum)).append("\n");
  }
  out.append(name).append("_sum ");
  out.append(number_to_text(static_cast<double>(duration_sum_ms_) / 1e3)).append("\n");
  out.append(name).append("_count ").append(std::to_string(sum)).append("\n");
}

}  // namespace fermata::server
