#include "core/job/members.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::job {

Members::Members(const Value& body, std::string path, std::vector<Finding>& findings)
    : body_(body.is_null() ? Value::object() : body), path_(std::move(path)), findings_(findings) {
  if (!body_.is_object())
    findings_.push_back({"invalid_field", path_, "An object is expected here.", {}});
}

const Value* Members::any(std::string_view name) {
  // One that is read in two ways is still one field.
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  return body_.find(name);
}

const Value* Members::take(std::string_view name) {
  const Value* found = any(name);
  return found && !found->is_null() ? found : nullptr;
}

std::string Members::path_of(std::string_view name) const {
  return path_ + "/" + escape_pointer(name);
}

void Members::wrong(std::string_view name, std::string message) {
  findings_.push_back({"invalid_field", path_of(name), std::move(message), {}});
}

void Members::require(std::string_view name) {
  const Value* found = body_.find(name);
  if (body_.is_object() && (!found || found->is_null())) wrong(name, "This field is required.");
}

std::optional<std::string> Members::text(std::string_view name) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::string(value->as_string());
  wrong(name, "A text is expected.");
  return std::nullopt;
}

std::optional<int64_t> Members::integer(std::string_view name, int64_t least, int64_t most) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_integer() && value->as_integer() >= least && value->as_integer() <= most)
    return value->as_integer();
  wrong(name, "A whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                  " is expected.");
  return std::nullopt;
}

std::optional<double> Members::number(std::string_view name) {
  const Value* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_number()) return value->as_number();
  wrong(name, "A number is expected.");
  return std::nullopt;
}

std::vector<std::string> Members::texts(std::string_view name) {
  std::vector<std::string> out;
  const Value* list = take(name);
  if (!list) return out;
  if (!list->is_array()) {
    wrong(name, "A list of texts is expected.");
    return out;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const Value& item = list->items()[i];
    if (item.is_string()) {
      out.emplace_back(item.as_string());
    } else {
      findings_.push_back(
          {"invalid_field", path_of(name) + "/" + std::to_string(i), "A text is expected.", {}});
    }
  }
  return out;
}

Value Members::object(std::string_view name) {
  const Value* value = take(name);
  if (!value) return {};
  if (value->is_object()) return *value;
  wrong(name, "An object is expected.");
  return {};
}

void Members::finish() {
  if (!body_.is_object()) return;
  for (const Value::Member& member : body_.members()) {
    std::string_view name = member.key.as_string();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string list;
    for (std::string_view known : known_) list.append(list.empty() ? "" : ", ").append(known);
    findings_.push_back({"unknown_field", path_of(name), "Known fields: " + list + ".", {}});
  }
}

}  // namespace fermata::job
