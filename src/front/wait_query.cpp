#include "front/wait_query.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "core/wait/config.h"
#include "front/fields.h"
#include "front/filter_reading.h"

namespace fermata::front {
namespace {

constexpr std::string_view filter_names[] = {
    "status", "wait_type", "workflow_id", "execution_id", "contact_id", "step_id", "event_type",
    "source", "on_hold",   "overdue",     "due_from",     "due_to",     "q"};

class WaitReading final : public FilterReading {
 public:
  WaitReading(WaitFilter& filter, Instant now) : filter_(filter), now_(now) {}

 private:
  void one(const std::string& name, const std::string& value) override {
    if (name == "status") return statuses(value);
    if (name == "wait_type") return type(value);
    if (name == "workflow_id") filter_.workflow = WorkflowId(value);
    if (name == "execution_id") filter_.run = RunId(value);
    if (name == "contact_id") filter_.contact_id = value;
    if (name == "step_id") filter_.step = value;
    if (name == "event_type") filter_.event_type = value;
    if (name == "source") return source(value);
    if (name == "on_hold") filter_.on_hold = flag(name, value);
    if (name == "overdue" && flag(name, value)) overdue();
    if (name == "due_from") instant(name, value, filter_.due_from);
    if (name == "due_to") instant(name, value, filter_.due_to);
    if (name == "q") filter_.q = value;
  }
  void statuses(std::string_view list) {
    each(list, [&](std::string_view name) {
      if (name == "pending") {
        filter_.statuses.push_back(WaitStatus::scheduled);
        filter_.statuses.push_back(WaitStatus::waiting);
      } else if (auto status = wait_status_of(name)) {
        filter_.statuses.push_back(*status);
      } else {
        wrong("status", "`" + std::string(name) +
                            "` is none of pending, scheduled, waiting, resumed, timeout, "
                            "cancelled and error.");
      }
    });
  }
  void type(const std::string& value) {
    filter_.type = value;
    if (value != "for_event" && waits::fields_of(value).empty())
      wrong("wait_type", "fixed_time, until_date, until_time or for_event is expected.");
  }
  void source(const std::string& value) {
    filter_.source = wait_source_of(value);
    if (!filter_.source) wrong("source", "api, graph or flow is expected.");
  }
  bool flag(const std::string& name, const std::string& value) {
    if (value != "true" && value != "false") wrong(name, "true or false is expected.");
    return value == "true";
  }
  void overdue() {
    filter_.due_to = filter_.due_to ? std::min(*filter_.due_to, now_) : now_;
    filter_.unheld = true;
    if (filter_.statuses.empty()) filter_.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  }

  WaitFilter& filter_;
  const Instant now_;
};

}  // namespace

Outcome<WaitFilter> read_wait_filter(const NamedValues& query, const AccountId& account,
                                     Instant now) {
  WaitFilter filter;
  filter.account = account;
  WaitReading reading(filter, now);
  FERMATA_TRY_VOID(reading.read(query));
  return filter;
}

Outcome<WaitFilter> read_wait_filter(const Value& filter, const AccountId& account, Instant now) {
  NamedValues query;
  std::vector<Finding> findings;
  for (const Value::Member& member : filter.members()) {
    std::string name(member.key.as_string());
    std::string path = "/filter/" + escape_pointer(name);
    bool known =
        std::find(std::begin(filter_names), std::end(filter_names), name) != std::end(filter_names);
    if (!known) {
      findings.push_back(
          {"unknown_field", path, "This filter is not known; see GET /api/v1/waits.", {}});
    } else if (member.value.is_string()) {
      query.emplace_back(name, member.value.as_string());
    } else if (member.value.is_bool() && (name == "on_hold" || name == "overdue")) {
      query.emplace_back(name, member.value.as_bool() ? "true" : "false");
    } else {
      findings.push_back({"invalid_field",
                          path,
                          "A text is expected; on_hold and overdue may be true or false.",
                          {}});
    }
  }
  if (!findings.empty()) return refuse(std::move(findings));
  auto read = read_wait_filter(query, account, now);
  if (read) return read;
  // A body has fields, not a query.
  findings = read.error().findings;
  for (Finding& finding : findings) {
    finding.code = "invalid_field";
    finding.path = "/filter/" + finding.path;
  }
  return refuse(std::move(findings));
}

Outcome<WaitFilter> read_pending_filter(const NamedValues& query, const AccountId& account,
                                        Instant now) {
  FERMATA_TRY(filter, read_wait_filter(query, account, now));
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  return filter;
}

Outcome<Occurrence> read_occurrence(const std::string* text, bool may_be_all) {
  Occurrence occurrence;
  if (text == nullptr) return occurrence;
  if (*text == "all" && may_be_all) return Occurrence{true, {}};
  uint32_t number = 0;
  const char* end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc{} || stop != end || number == 0)
    return bad_query("occurrence", may_be_all ? "A number from 1 or `all` is expected."
                                              : "A number from 1 is expected.");
  occurrence.number = number;
  return occurrence;
}

}  // namespace fermata::front
