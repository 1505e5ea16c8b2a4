#include "front/run_query.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

Finding query_finding(std::string_view name, std::string message) {
  return {"invalid_query", std::string(name), std::move(message), {}};
}

void read_statuses(std::string_view list, RunFilter& filter, std::vector<Finding>& findings) {
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (auto status = run_status_of(name)) {
      filter.statuses.push_back(*status);
    } else {
      findings.push_back(query_finding(
          "status", "`" + std::string(name) +
                        "` is none of running, waiting, paused, completed, failed, cancelled, "
                        "timed_out."));
    }
  }
}

void read_instant(std::string_view name, std::string_view text, std::optional<Instant>& out,
                  std::vector<Finding>& findings) {
  out = parse_rfc3339(text);
  if (!out)
    findings.push_back(
        query_finding(name, "A timestamp such as 2026-03-01T10:00:00Z is expected (RFC 3339)."));
}

Failure<Error> failed(std::vector<Finding> findings) {
  std::string message = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_query, std::move(message), std::move(findings));
}

constexpr std::string_view run_filters[] = {"status", "workflow_id", "label", "contact_id",
                                            "parent", "from",        "to",    "q"};

bool is_run_filter(std::string_view name) {
  return std::find(std::begin(run_filters), std::end(run_filters), name) != std::end(run_filters);
}

void read_one(const std::string& name, const std::string& value, RunFilter& filter,
              std::vector<Finding>& findings) {
  // Taken as no filter at all, an empty value would select everything.
  if (value.empty() && is_run_filter(name)) {
    findings.push_back(query_finding(name, "A value is needed; leave the filter out otherwise."));
  } else if (name == "status") {
    read_statuses(value, filter, findings);
  } else if (name == "workflow_id") {
    filter.workflow = WorkflowId(value);
  } else if (name == "label") {
    size_t colon = std::min(value.find_first_of(":="), value.size());
    filter.label_key = value.substr(0, colon);
    filter.label_value = colon < value.size() ? value.substr(colon + 1) : "";
    if (filter.label_key.empty() || colon + 1 == value.size())
      findings.push_back(query_finding(name, "A label is `key` or `key:value`."));
  } else if (name == "contact_id") {
    filter.contact_id = value;
  } else if (name == "parent") {
    filter.parent = RunId(value);
  } else if (name == "from") {
    read_instant(name, value, filter.from, findings);
  } else if (name == "to") {
    read_instant(name, value, filter.to, findings);
  } else if (name == "q") {
    filter.q = value;
  }
}

/// Texts as they are; an array of texts is the name given several times.
void flatten(std::string_view name, const Value& value, NamedValues& out,
             std::vector<Finding>& findings) {
  if (value.is_string()) {
    out.emplace_back(name, value.as_string());
  } else if (value.is_array() && value.size() > 0 && name == "status") {
    for (const Value& item : value.items()) flatten(name, item, out, findings);
  } else {
    findings.push_back(
        {"invalid_field", "/filter/" + escape_pointer(name), "A text is expected.", {}});
  }
}

}  // namespace

Outcome<RunFilter> read_run_filter(const NamedValues& query, const AccountId& account) {
  RunFilter filter;
  filter.account = account;
  std::vector<Finding> findings;
  for (const auto& [name, value] : query) read_one(name, value, filter, findings);
  if (!findings.empty()) return failed(std::move(findings));
  return filter;
}

Outcome<RunFilter> read_run_filter(const Value& filter, const AccountId& account) {
  NamedValues query;
  std::vector<Finding> findings;
  for (const Value::Member& member : filter.members()) {
    std::string_view name = member.key.as_string();
    if (!is_run_filter(name)) {
      findings.push_back({"unknown_field",
                          "/filter/" + escape_pointer(name),
                          "This filter is not known; see GET /api/v1/executions.",
                          {}});
    } else {
      flatten(name, member.value, query, findings);
    }
  }
  if (findings.empty()) return read_run_filter(query, account);
  std::string message = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(message), std::move(findings));
}

Outcome<RunOrder> read_run_order(const NamedValues& query) {
  const std::string* sort = find_value(query, "sort");
  if (!sort || *sort == "-started_at") return RunOrder::newest_first;
  if (*sort == "started_at") return RunOrder::oldest_first;
  return bad_query("sort", "`" + *sort +
                               "` is no order of executions: `started_at` lists the oldest first, "
                               "`-started_at` the newest.");
}

Outcome<AuditFilter> read_audit_filter(const NamedValues& query, const AccountId& account) {
  AuditFilter filter;
  filter.account = account;
  std::vector<Finding> findings;
  for (const auto& [name, value] : query) {
    if (name == "action") filter.action = value;
    if (name == "subject") filter.subject = value;
    if (name == "actor") filter.actor = value;
    if (name == "from") read_instant(name, value, filter.from, findings);
    if (name == "to") read_instant(name, value, filter.to, findings);
  }
  if (!findings.empty()) return failed(std::move(findings));
  return filter;
}

const std::string* find_value(const NamedValues& query, std::string_view name) {
  for (const auto& [key, value] : query)
    if (key == name) return &value;
  return nullptr;
}

Failure<Error> bad_query(std::string_view name, std::string message) {
  return failed({query_finding(name, std::move(message))});
}

Outcome<std::optional<uint64_t>> read_number(const NamedValues& query, std::string_view name) {
  const std::string* text = find_value(query, name);
  if (!text) return std::optional<uint64_t>{};
  uint64_t number = 0;
  auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (code != std::errc() || end != text->data() + text->size())
    return bad_query(name, "A whole number is expected.");
  return std::optional<uint64_t>(number);
}

Outcome<bool> read_flag(const NamedValues& query, std::string_view name) {
  const std::string* text = find_value(query, name);
  if (!text || *text == "false" || *text == "0") return false;
  if (text->empty() || *text == "true" || *text == "1") return true;
  return bad_query(name, "true or false is expected.");
}

Outcome<Paging> read_paging(const NamedValues& query) {
  Paging paging;
  FERMATA_TRY(limit, read_number(query, "limit"));
  if (limit && (*limit < 1 || *limit > page_limit_max))
    return bad_query("limit",
                     "A number from 1 to " + std::to_string(page_limit_max) + " is expected.");
  if (limit) paging.limit = static_cast<size_t>(*limit);
  if (const std::string* cursor = find_value(query, "cursor")) paging.cursor = *cursor;
  FERMATA_TRY(offset, read_number(query, "offset"));
  if (offset && *offset > page_offset_max)
    return bad_query("offset", "At most " + std::to_string(page_offset_max) +
                                   " can be passed over; go on by cursor instead.");
  if (offset && !paging.cursor.empty())
    return bad_query("offset", "Either an offset or a cursor says where the page begins.");
  if (offset) paging.offset = static_cast<size_t>(*offset);
  return paging;
}

}  // namespace fermata::front
