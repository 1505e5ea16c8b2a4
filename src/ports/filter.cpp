#include <algorithm>

#include "core/fleet/worker.h"
#include "ports/cursor.h"
#include "ports/reader.h"

namespace fermata {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool has_label(const Value& labels, const std::string& key, const std::string& value) {
  const Value* label = labels.find(key);
  if (label == nullptr) return false;
  return value.empty() || (label->is_string() && label->as_string() == value);
}

bool within(Instant at, const std::optional<Instant>& from, const std::optional<Instant>& to) {
  return (!from || at >= *from) && (!to || at < *to);
}

}  // namespace

bool matches(const RunFilter& filter, const RunSummary& run) {
  if (!filter.account.empty() && filter.account != run.account) return false;
  if (!filter.workflow.empty() && filter.workflow != run.workflow) return false;
  if (!filter.contact_id.empty() && filter.contact_id != run.contact_id) return false;
  if (!filter.parent.empty() && filter.parent != run.parent) return false;
  if (!within(run.started_at, filter.from, filter.to)) return false;
  if (!filter.statuses.empty() && std::find(filter.statuses.begin(), filter.statuses.end(),
                                            run.status) == filter.statuses.end()) {
    return false;
  }
  if (!filter.label_key.empty() && !has_label(run.labels, filter.label_key, filter.label_value)) {
    return false;
  }
  const std::vector<SagaStatus>& sagas = filter.sagas;
  if (!sagas.empty() && std::find(sagas.begin(), sagas.end(), run.saga) == sagas.end())
    return false;
  return filter.q.empty() || contains(run.id.text(), filter.q) ||
         contains(run.workflow.text(), filter.q) || contains(run.contact_id, filter.q) ||
         contains(run.error_code, filter.q);
}

std::string run_cursor(uint64_t number, RunOrder order) {
  return order == RunOrder::newest_first ? cursor_of(number) : "up." + cursor_of(number);
}

Outcome<uint64_t> run_place(const std::string& cursor, RunOrder order) {
  if (order == RunOrder::newest_first) return cursor_number(cursor, UINT64_MAX);
  if (cursor.empty()) return 0;
  // What is no cursor of this order is refused there, with the words for all lists.
  bool own = cursor.starts_with("up.") && cursor.size() > 3;
  return cursor_number(own ? cursor.substr(3) : "?" + cursor, 0);
}

bool matches(const ScheduleFilter& filter, const schedule::ScheduleSummary& schedule) {
  if (schedule.status == schedule::Status::deleted) return false;
  if (!filter.account.empty() && filter.account != schedule.account) return false;
  if (!filter.workflow.empty() && filter.workflow != schedule.workflow) return false;
  return !filter.status || *filter.status == schedule.status;
}

bool matches(const JobFilter& filter, const job::Summary& job) {
  if (!filter.account.empty() && filter.account != job.account) return false;
  if (!filter.run.empty() && filter.run != job.run) return false;
  if (!filter.workflow.empty() && filter.workflow != job.workflow) return false;
  if (!filter.worker.empty() && filter.worker != job.worker) return false;
  if (!filter.pool.empty() && filter.pool != job.pool) return false;
  if (!filter.reason_code.empty() && filter.reason_code != job.reason_code) return false;
  if (!filter.topic.empty() && !fleet::fits(filter.topic, job.topic)) return false;
  if (!within(job.submitted_at, filter.from, filter.to)) return false;
  if (!filter.states.empty() &&
      std::find(filter.states.begin(), filter.states.end(), job.state) == filter.states.end()) {
    return false;
  }
  if (!filter.label_key.empty() && !has_label(job.labels, filter.label_key, filter.label_value)) {
    return false;
  }
  return filter.q.empty() || contains(job.id.text(), filter.q) || contains(job.topic, filter.q) ||
         contains(job.run.text(), filter.q) || contains(job.reason_code, filter.q);
}

bool matches(const AuditFilter& filter, const AuditLine& line) {
  if (!filter.account.empty() && filter.account != line.account) return false;
  if (!filter.subject.empty() && filter.subject != line.subject) return false;
  if (!filter.actor.empty() && filter.actor != line.actor) return false;
  if (!within(line.at, filter.from, filter.to)) return false;
  if (filter.action.empty()) return true;
  return filter.action.back() == '.' ? line.action.starts_with(filter.action)
                                     : line.action == filter.action;
}

}  // namespace fermata
