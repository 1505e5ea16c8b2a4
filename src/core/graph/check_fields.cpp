#include <cmath>

#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {

constexpr size_t id_characters_max = 100;

const Value* FieldReader::find(std::string_view name) const {
  const Value* value = object_.find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string FieldReader::at(std::string_view name) const {
  return path_ + "/" + escape_pointer(name);
}

void FieldReader::wrong(std::string_view name, const std::string& expected) const {
  findings_.error(
      "field_type", at(name),
      quoted(name) + " must be " + expected + "; it is " + shown(object_.get(name)) + ".");
}

std::string FieldReader::required_id(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr) {
    findings_.error("field_missing", at(name), quoted(name) + " is required; add it.");
    return {};
  }
  if (!value->is_string()) {
    wrong(name, "text");
    return {};
  }
  size_t length = code_points(value->as_string());
  if (length == 0)
    findings_.error("field_missing", at(name), quoted(name) + " is empty; give it a text.");
  if (length > id_characters_max)
    findings_.error("limit_exceeded", at(name),
                    quoted(name) + " has " + std::to_string(length) + " characters; at most " +
                        std::to_string(id_characters_max) + " are allowed.");
  return std::string(value->as_string());
}

std::string FieldReader::text(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return std::string(value->as_string());
  wrong(name, "text");
  return {};
}

bool FieldReader::boolean(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->as_bool();
  wrong(name, "true or false");
  return false;
}

std::optional<double> FieldReader::number(std::string_view name, double least, double most) {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  auto given = number_in(*value);
  if (given && *given >= least && *given <= most) return given;
  wrong(name, "a number from " + number_to_text(least) + " to " + number_to_text(most));
  return std::nullopt;
}

std::optional<int64_t> FieldReader::whole(std::string_view name, int64_t least, int64_t most) {
  const Value* value = find(name);
  if (value == nullptr) return std::nullopt;
  auto given = number_in(*value);
  bool fits = given && std::floor(*given) == *given && *given >= static_cast<double>(least) &&
              *given <= static_cast<double>(most);
  if (fits) return static_cast<int64_t>(*given);
  wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::string FieldReader::choice(std::string_view name, std::string_view choices) {
  std::string first(parts_of(choices).front());
  const Value* value = find(name);
  if (value == nullptr) return first;
  if (value->is_string() && is_one_of(value->as_string(), choices))
    return std::string(value->as_string());
  wrong(name, listed(choices));
  return first;
}

const Value* FieldReader::object(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr || value->is_object()) return value;
  wrong(name, "an object");
  return nullptr;
}

const Value* FieldReader::array(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr || value->is_array()) return value;
  wrong(name, "an array");
  return nullptr;
}

void FieldReader::warn_unknown(std::string_view known, std::string_view owner) const {
  for (const auto& [key, value] : object_.members()) {
    std::string_view name = key.as_string();
    if (is_one_of(name, known)) continue;
    findings_.warn("field_unknown", at(name),
                   quoted(name) + " is no field of " + std::string(owner) + " and has no effect." +
                       suggestion(name, parts_of(known)));
  }
}

bool read_workflow(CheckState& state) {
  if (!state.document.is_object()) {
    state.findings.error("field_type", "",
                         "A workflow is an object with \"nodes\" and \"edges\"; this is " +
                             shown(state.document) + ".");
    return false;
  }
  FieldReader fields(state.document, "", state.findings);
  // A form for people who start it: kept beside the definition, as positions are (U-35).
  fields.warn_unknown(std::string(workflow_fields) + "|input_schema", "a workflow");
  fields.object("input_schema");
  for (std::string_view name : {"nodes", "edges"})
    if (fields.find(name) == nullptr)
      state.findings.error("field_missing", fields.at(name),
                           quoted(name) + " is required; it may be an empty array only for edges.");
  const Value* nodes = fields.array("nodes");
  fields.array("edges");
  fields.array("notes");
  fields.choice("on_failure", "keep|rollback");
  fields.choice("on_deactivate", "cancel|hold|keep");
  state.definition.rolls_back = state.document.get("on_failure") == Value("rollback");
  constexpr int64_t timeout_ms_max = int64_t{1} << 53;
  state.definition.timeout_ms = fields.whole("timeout_ms", 0, timeout_ms_max).value_or(0);
  if (nodes && nodes->size() == 0)
    state.findings.error("definition_empty", "/nodes", "A workflow needs at least one node.");
  return nodes != nullptr;
}

}  // namespace fermata::graph
