#include "front/dead_letter_query.h"

#include "core/job/json_fields.h"
#include "core/job/request.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

constexpr size_t filter_text_bytes_max = 1'024;

class LetterReading {
 public:
  explicit LetterReading(DeadLetterFilter& filter) : filter_(filter) {}

  void one(const std::string& name, const std::string& value) {
    if (name == "state") return state(value);
    if (name == "status") return status(value);
    if (name == "reason_code") filter_.reason_code = value;
    if (name == "topic") filter_.topic = job::full_topic(value);
    if (name == "job_id") filter_.job = JobId(value);
    if (name == "run_id") filter_.run = RunId(value);
    if (name == "from") instant(name, value, filter_.from);
    if (name == "to") instant(name, value, filter_.to);
  }
  std::vector<Finding> findings;

 private:
  void wrong(const std::string& name, std::string message) {
    findings.push_back({"invalid_query", name, std::move(message), {}});
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
  void instant(const std::string& name, const std::string& value, std::optional<Instant>& out) {
    out = parse_rfc3339(value);
    if (!out) wrong(name, "A timestamp such as 2026-03-01T10:00:00Z is expected (RFC 3339).");
  }

  DeadLetterFilter& filter_;
};

}  // namespace

Outcome<DeadLetterFilter> read_dead_letter_filter(const NamedValues& query,
                                                  const AccountId& account) {
  DeadLetterFilter filter;
  filter.account = account;
  LetterReading reading(filter);
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

Outcome<PurgeRequest> read_purge(const Value& body, const AccountId& account) {
  Fields fields(body);
  PurgeRequest out;
  out.dry_run = fields.boolean("dry_run").value_or(false);
  const Value* asked = fields.any("filter");
  bool all = asked && *asked == Value("all");
  if (!asked || (!all && (!asked->is_object() || asked->size() == 0)))
    return fail(ErrorCode::filter_required,
                "Give `filter`, an object, or `\"filter\": \"all\"` for everything that is open.");
  NamedValues named;
  if (!all) {
    Fields inner(*asked, "/filter");
    for (const char* name : {"reason_code", "topic", "status", "job_id", "run_id", "from", "to"})
      if (auto value = inner.text(name, filter_text_bytes_max)) named.emplace_back(name, *value);
    if (auto done = inner.finish(); !done) fields.add(std::move(done).error().findings);
  }
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY(filter, read_dead_letter_filter(named, account));
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
