#include "front/job_query.h"

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
  FERMATA_TRY(query, read_filter_object(filter, names, "/api/v1/jobs"));
  return read_job_filter(query, account);
}

}  // namespace fermata::front
