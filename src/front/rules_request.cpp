#include "front/rules_request.h"

#include <set>

#include "base/words.h"
#include "core/wait/criteria.h"
#include "core/wait/event_types.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

Failure<Error> too_many_rules(const char* what, size_t given, size_t most, std::string path) {
  std::string message = std::to_string(given) + " " + what + " are given; at most " +
                        std::to_string(most) + " are possible.";
  return fail(ErrorCode::too_many, message, {{"too_many", std::move(path), message, {}}});
}

std::string rule_type(Fields& fields, std::span<const std::string> event_types,
                      const std::string& path) {
  fields.require("event_type");
  auto name = fields.text("event_type");
  if (!name) return {};
  if (auto type = waits::event_type_named(*name, event_types)) return *std::move(type);
  std::string_view meant = waits::nearest_event_type(*name);
  fields.add({{"unknown_event_type",
               path + "/event_type",
               quoted(*name) + " is no type of events." +
                   (meant.empty() ? " Own ones begin with \"custom.\"."
                                  : " Did you mean " + quoted(meant) + "?"),
               {}}});
  return {};
}

Value rule_criteria(Fields& fields, const std::string& path) {
  const Value* criteria = fields.any("criteria");
  if (criteria == nullptr || criteria->is_null()) return {};
  if (auto mistake = criteria_mistake(*criteria)) {
    fields.add({{"invalid_criteria", path + "/criteria", *mistake + ".", {}}});
    return {};
  }
  return *criteria;
}

/// The findings of all entries of a list together; `read` gives the stored form of one.
template <class Read>
Outcome<Value> read_each(const Value& list, const std::string& path, Read read) {
  Value out = Value::array();
  std::vector<Finding> findings;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string at = path + "/" + std::to_string(i);
    Fields fields(list.items()[i], at);
    Value one = read(fields, at);
    auto finished = fields.finish();
    if (!finished) {
      Error error = std::move(finished).error();
      if (error.findings.empty())
        findings.push_back({std::string(name_of(error.code)), at, error.message, {}});
      for (Finding& finding : error.findings) findings.push_back(std::move(finding));
    }
    out.push(std::move(one));
  }
  if (!findings.empty()) return refuse(std::move(findings));
  return out;
}

}  // namespace

Outcome<Value> read_goals(const Value& body, std::span<const std::string> event_types) {
  Fields fields(body);
  std::string mode = fields.text("mode").value_or("any");
  if (mode != "any" && mode != "all") fields.wrong("mode", "any or all is expected.");
  const Value* given = fields.any("goals");
  bool is_list = given != nullptr && given->is_array();
  if (!is_list) fields.wrong("goals", "A list of goals is expected.");
  FERMATA_TRY_VOID(fields.finish());
  if (given->size() > goals_max) return too_many_rules("goals", given->size(), goals_max, "/goals");
  std::set<std::string> ids;
  FERMATA_TRY(goals, read_each(*given, "/goals", [&](Fields& goal, const std::string& path) {
                goal.require("id");
                std::string id = goal.id("id").value_or("");
                if (!id.empty() && !ids.insert(id).second)
                  goal.wrong("id", "Another goal has this id.");
                Value one =
                    Value::object({{"id", id}, {"event_type", rule_type(goal, event_types, path)}});
                Value criteria = rule_criteria(goal, path);
                if (!criteria.is_null()) one.set("criteria", std::move(criteria));
                return one;
              }));
  return Value::object({{"mode", mode}, {"goals", std::move(goals)}});
}

Outcome<Value> read_triggers(const Value& body, std::span<const std::string> event_types) {
  if (!body.is_array())
    return fail(ErrorCode::invalid_field, "A list of triggers is expected.",
                {{"invalid_field", "", "A list of triggers is expected.", {}}});
  if (body.size() > triggers_max) return too_many_rules("triggers", body.size(), triggers_max, "");
  return read_each(body, "", [&](Fields& trigger, const std::string& path) {
    std::string enrolment = trigger.text("enrolment").value_or("single");
    if (enrolment != "single" && enrolment != "multiple")
      trigger.wrong("enrolment", "single or multiple is expected.");
    Value one = Value::object({{"event_type", rule_type(trigger, event_types, path)}});
    Value criteria = rule_criteria(trigger, path);
    if (!criteria.is_null()) one.set("criteria", std::move(criteria));
    one.set("enrolment", enrolment);
    return one;
  });
}

}  // namespace fermata::front
