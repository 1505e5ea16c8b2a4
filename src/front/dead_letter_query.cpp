#include "front/dead_letter_query.h"

#include "core/job/json_fields.h"
#include "core/job/request.h"
#include "front/fields.h"
#include "front/filter_reading.h"

namespace fermata::front {
namespace {

constexpr size_t filter_text_bytes_max = 1'024;

class LetterReading final : public FilterReading {
 public:
  explicit LetterReading(DeadLetterFilter& filter) : filter_(filter) {}

 private:
  void one(const std::string& name, const std::string& value) override {
    if (name == "state") return state(value);
    if (name == "status") return status(value);
    if (name == "reason_code") filter_.reason_code = value;
    if (name == "topic") filter_.topic = job::full_topic(value);
    if (name == "job_id") filter_.job = JobId(value);
    if (name == "run_id") filter_.run = RunId(value);
    if (name == "from") instant(name, value, filter_.from);
    if (name == "to") instant(name, value, filter_.to);
  }
  void state(const std::string& value) {
    if (value == "open") filter_.open = true;
    if (value == "resolved") filter_.open = false;
    if (value == "all") filter_.open = std::nullopt;
    if (value != "open" && value != "resolved" && value != "all")
      wrong("state", "open, resolved or all is expected.");
  }
  void status(const std::string& value) {
    filter_.status = job::state_of(value);
    if (!filter_.status) wrong("status", "A state of a job is expected.");
  }

  DeadLetterFilter& filter_;
};

}  // namespace

Outcome<DeadLetterFilter> read_dead_letter_filter(const NamedValues& query,
                                                  const AccountId& account) {
  DeadLetterFilter filter;
  filter.account = account;
  LetterReading reading(filter);
  FERMATA_TRY_VOID(reading.read(query));
  return filter;
}

Outcome<DeadLetterFilter> read_dead_letter_selection(const Value& asked, const AccountId& account) {
  NamedValues named;
  Fields fields(asked, "/filter");
  for (const char* name : {"reason_code", "topic", "status", "job_id", "run_id", "from", "to"})
    if (auto value = fields.text(name, filter_text_bytes_max)) named.emplace_back(name, *value);
  FERMATA_TRY_VOID(fields.finish());
  return read_dead_letter_filter(named, account);
}

Outcome<PurgeRequest> read_purge(const Value& body, const AccountId& account) {
  Fields fields(body);
  PurgeRequest out;
  out.dry_run = fields.boolean("dry_run").value_or(false);
  const Value* asked = fields.any("filter");
  bool all = asked && *asked == Value("all");
  if (!asked || (!all && (!asked->is_object() || asked->size() == 0)))
    return fail(ErrorCode::filter_required,
                "Give `filter`, an object, or `\"filter\": \"all\"` for everything that is open.");
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY(filter, read_dead_letter_selection(all ? Value::object() : *asked, account));
  out.filter = std::move(filter);
  return out;
}

Value dead_letter_value(const DeadLetterEntry& entry) {
  Value out = job::to_value(entry.letter);
  if (entry.open()) return out;
  out.set("resolution", name_of(entry.resolution));
  if (entry.resolved_at) out.set("resolved_at", to_rfc3339(*entry.resolved_at));
  out.set("resolved_by", entry.resolved_by);
  if (!entry.retried_as.empty()) out.set("retried_as", entry.retried_as.text());
  return out;
}

}  // namespace fermata::front
