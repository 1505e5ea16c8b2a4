#include <map>

#include "base/json.h"
#include "front/line_diff.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

struct Version {
  uint32_t number = 0;
  DefinitionHash hash;
  std::string language;
  Value document;
};

Outcome<Version> version_asked(Api& api, const Call& call, std::string_view name) {
  FERMATA_TRY(number, front::read_number(call.query, name));
  if (!number || *number < 1 || *number > UINT32_MAX)
    return front::bad_query(name, "The number of a version is expected.");
  FERMATA_TRY(found,
              front::find_version(api.catalog(), call.who.account, WorkflowId(call.variable(0)),
                                  static_cast<uint32_t>(*number)));
  FERMATA_TRY(definition, api.definitions().load_any(found.hash));
  return Version{found.version, found.hash, std::string(definition.language()),
                 definition.document()};
}

Value version_value(const Version& version) {
  return Value::object(
      {{"version", version.number}, {"hash", version.hash.text()}, {"language", version.language}});
}

/// The names of members that are not the same in both.
Value changed_fields(const Value& from, const Value& to) {
  Value out = Value::array();
  for (const Value::Member& member : from.members()) {
    const Value* other = to.find(member.key.as_string());
    if (!other || !(*other == member.value)) out.push(member.key);
  }
  for (const Value::Member& member : to.members())
    if (!from.find(member.key.as_string())) out.push(member.key);
  return out;
}

std::map<std::string, Value> by_id(const Value& list) {
  std::map<std::string, Value> out;
  if (!list.is_array()) return out;
  for (const Value& one : list.items())
    if (one.get("id").is_string()) out[std::string(one.get("id").as_string())] = one;
  return out;
}

/// {added, removed, changed: [{id, fields}]} of the nodes or edges of two graphs.
Value parts_value(const Value& from, const Value& to) {
  std::map<std::string, Value> before = by_id(from), after = by_id(to);
  Value added = Value::array(), removed = Value::array(), changed = Value::array();
  for (const auto& [id, part] : before) {
    auto now = after.find(id);
    if (now == after.end()) {
      removed.push(id);
    } else if (!(now->second == part)) {
      changed.push(Value::object({{"id", id}, {"fields", changed_fields(part, now->second)}}));
    }
  }
  for (const auto& [id, part] : after)
    if (!before.contains(id)) added.push(id);
  return Value::object({{"added", std::move(added)},
                        {"removed", std::move(removed)},
                        {"changed", std::move(changed)}});
}

/// What people read: the source of a script, the document of a graph with its keys in one order.
Outcome<std::string> text_of(const Version& version) {
  const Value& source = version.document.get("source");
  if (version.language == "flow" && source.is_string()) return std::string(source.as_string());
  FERMATA_TRY(sorted, parse_json(to_canonical_json(version.document)));
  return to_pretty_json(sorted);
}

Outcome<Value> lines_value(const Version& from, const Version& to) {
  FERMATA_TRY(before, text_of(from));
  FERMATA_TRY(after, text_of(to));
  Value out = Value::array();
  for (const front::DiffLine& line : front::diff_lines(before, after))
    out.push(Value::object({{"op", std::string_view(&line.op, 1)},
                            {"from", line.from > 0 ? Value(line.from) : Value()},
                            {"to", line.to > 0 ? Value(line.to) : Value()},
                            {"text", line.text}}));
  return out;
}

Outcome<Value> diff_of(Api& api, const Call& call) {
  FERMATA_TRY(from, version_asked(api, call, "from"));
  FERMATA_TRY(to, version_asked(api, call, "to"));
  Value other = Value::array();
  const Value fields = changed_fields(from.document, to.document);
  for (const Value& field : fields.items())
    if (field != Value("nodes") && field != Value("edges")) other.push(field);
  FERMATA_TRY(lines, lines_value(from, to));
  return Value::object(
      {{"workflow_id", call.variable(0)},
       {"from", version_value(from)},
       {"to", version_value(to)},
       {"same", from.hash == to.hash},
       {"nodes", parts_value(from.document.get("nodes"), to.document.get("nodes"))},
       {"edges", parts_value(from.document.get("edges"), to.document.get("edges"))},
       {"fields", std::move(other)},
       {"lines", std::move(lines)}});
}

}  // namespace

void workflow_diff(Api& api, Call call) {
  auto answer = diff_of(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
