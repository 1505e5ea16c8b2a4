#include "front/filter_reading.h"

#include "base/json.h"

namespace fermata::front {

Outcome<NamedValues> read_filter_object(const Value& filter,
                                        std::span<const std::string_view> names,
                                        std::string_view see) {
  NamedValues query;
  std::vector<Finding> findings;
  for (const Value::Member& member : filter.members()) {
    std::string name(member.key.as_string());
    std::string path = "/filter/" + escape_pointer(name);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      findings.push_back({"unknown_field",
                          path,
                          "This filter is not known; see GET " + std::string(see) + ".",
                          {}});
    } else if (member.value.is_string()) {
      query.emplace_back(name, member.value.as_string());
    } else {
      findings.push_back({"invalid_field", path, "A text is expected.", {}});
    }
  }
  if (findings.empty()) return query;
  std::string message = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(message), std::move(findings));
}

Outcome<void> FilterReading::read(const NamedValues& query) {
  for (const auto& [name, value] : query) {
    bool paging = name == "limit" || name == "cursor" || name == "offset";
    // Taken as no filter at all, an empty value would select everything.
    if (value.empty() && !paging) {
      wrong(name, "A value is needed; leave the filter out otherwise.");
    } else {
      one(name, value);
    }
  }
  if (findings_.empty()) return {};
  std::string message = findings_[0].path + ": " + findings_[0].message;
  return fail(ErrorCode::invalid_query, std::move(message), std::move(findings_));
}

void FilterReading::wrong(const std::string& name, std::string message) {
  findings_.push_back({"invalid_query", name, std::move(message), {}});
}

void FilterReading::instant(const std::string& name, const std::string& value,
                            std::optional<Instant>& out) {
  out = parse_rfc3339(value);
  if (!out) wrong(name, "A timestamp such as 2026-03-01T10:00:00Z is expected (RFC 3339).");
}

void FilterReading::label(const std::string& value, std::string& key, std::string& wanted) {
  size_t colon = std::min(value.find_first_of(":="), value.size());
  key = value.substr(0, colon);
  wanted = colon < value.size() ? value.substr(colon + 1) : "";
  if (key.empty() || colon + 1 == value.size()) wrong("label", "A label is `key` or `key:value`.");
}

}  // namespace fermata::front
