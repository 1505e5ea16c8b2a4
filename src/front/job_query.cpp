#include "front/job_query.h"

#include <algorithm>

#include "base/json.h"
#include "core/job/request.h"
#include "front/filter_reading.h"

namespace fermata::front {
namespace {

class JobReading final : public FilterReading {
 public:
  explicit JobReading(JobFilter& filter) : filter_(filter) {}

 private:
  void one(const std::string& name, const std::string& value) override {
    if (name == "state") return states(value);
    if (name == "topic") filter_.topic = job::full_topic(value);
    if (name == "label") return label(value, filter_.label_key, filter_.label_value);
    if (name == "run_id") filter_.run = RunId(value);
    if (name == "workflow_id") filter_.workflow = WorkflowId(value);
    if (name == "worker_id") filter_.worker = WorkerId(value);
    if (name == "pool") filter_.pool = value;
    if (name == "reason_code") filter_.reason_code = value;
    if (name == "from") instant(name, value, filter_.from);
    if (name == "to") instant(name, value, filter_.to);
    if (name == "q") filter_.q = value;
  }
  void states(std::string_view list) {
    each(list, [&](std::string_view name) {
      auto state = job::state_of(name);
      if (state && *state != job::State::none) {
        filter_.states.push_back(*state);
      } else {
        wrong("state", "`" + std::string(name) + "` is no state of a job; see docs/guide/jobs.md.");
      }
    });
  }

  JobFilter& filter_;
};

}  // namespace

Outcome<JobFilter> read_job_filter(const NamedValues& query, const AccountId& account) {
  JobFilter filter;
  filter.account = account;
  JobReading reading(filter);
  FERMATA_TRY_VOID(reading.read(query));
  return filter;
}

Outcome<JobFilter> read_job_filter(const Value& filter, const AccountId& account) {
  constexpr std::string_view names[] = {"state",       "topic",     "label", "run_id",
                                        "workflow_id", "worker_id", "pool",  "reason_code",
                                        "from",        "to",        "q"};
  NamedValues query;
  std::vector<Finding> findings;
  for (const Value::Member& member : filter.members()) {
    std::string name(member.key.as_string());
    std::string path = "/filter/" + escape_pointer(name);
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) {
      findings.push_back(
          {"unknown_field", path, "This filter is not known; see GET /api/v1/jobs.", {}});
    } else if (member.value.is_string()) {
      query.emplace_back(name, member.value.as_string());
    } else {
      findings.push_back({"invalid_field", path, "A text is expected.", {}});
    }
  }
  if (findings.empty()) return read_job_filter(query, account);
  std::string message = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(message), std::move(findings));
}

}  // namespace fermata::front
