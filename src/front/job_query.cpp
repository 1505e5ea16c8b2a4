#include "front/job_query.h"

#include "core/job/request.h"

namespace fermata::front {
namespace {

class Reading {
 public:
  explicit Reading(JobFilter& filter) : filter_(filter) {}

  void one(const std::string& name, const std::string& value) {
    if (name == "state") return states(value);
    if (name == "topic") filter_.topic = job::full_topic(value);
    if (name == "label") return label(value);
    if (name == "run_id") filter_.run = RunId(value);
    if (name == "workflow_id") filter_.workflow = WorkflowId(value);
    if (name == "worker_id") filter_.worker = WorkerId(value);
    if (name == "pool") filter_.pool = value;
    if (name == "reason_code") filter_.reason_code = value;
    if (name == "from") instant(name, value, filter_.from);
    if (name == "to") instant(name, value, filter_.to);
    if (name == "q") filter_.q = value;
  }
  std::vector<Finding> findings;

 private:
  void wrong(const std::string& name, std::string message) {
    findings.push_back({"invalid_query", name, std::move(message), {}});
  }
  void states(std::string_view list) {
    while (!list.empty()) {
      size_t end = std::min(list.find(','), list.size());
      std::string_view name = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      auto state = job::state_of(name);
      if (state && *state != job::State::none) {
        filter_.states.push_back(*state);
      } else {
        wrong("state", "`" + std::string(name) + "` is no state of a job; see docs/guide/jobs.md.");
      }
    }
  }
  void label(const std::string& value) {
    size_t colon = std::min(value.find_first_of(":="), value.size());
    filter_.label_key = value.substr(0, colon);
    filter_.label_value = colon < value.size() ? value.substr(colon + 1) : "";
    if (filter_.label_key.empty() || colon + 1 == value.size())
      wrong("label", "A label is `key` or `key:value`.");
  }
  void instant(const std::string& name, const std::string& value, std::optional<Instant>& out) {
    out = parse_rfc3339(value);
    if (!out) wrong(name, "A timestamp such as 2026-03-01T10:00:00Z is expected (RFC 3339).");
  }

  JobFilter& filter_;
};

}  // namespace

Outcome<JobFilter> read_job_filter(const NamedValues& query, const AccountId& account) {
  JobFilter filter;
  filter.account = account;
  Reading reading(filter);
  for (const auto& [name, value] : query) {
    bool paging = name == "limit" || name == "cursor";
    // Taken as no filter at all, an empty value would select everything.
    if (value.empty() && !paging) {
      reading.findings.push_back(
          {"invalid_query", name, "A value is needed; leave the filter out otherwise.", {}});
    } else {
      reading.one(name, value);
    }
  }
  if (reading.findings.empty()) return filter;
  std::string message = reading.findings[0].path + ": " + reading.findings[0].message;
  return fail(ErrorCode::invalid_query, std::move(message), std::move(reading.findings));
}

}  // namespace fermata::front
