#include "front/rune/begin_at.h"

#include "core/run/tokens.h"

namespace fermata::rune {

Begin begin_with(const graph::Definition& definition, const Value& accumulated) {
  Begin out;
  out.input = Value::object();
  out.plain = true;
  Value json;
  bool has_json = false;
  if (accumulated.is_object()) {
    for (const Value::Member& member : accumulated.members()) {
      std::string_view name = member.key.as_string();
      if (name.starts_with('$')) name.remove_prefix(1);
      if (name == "json") {
        json = member.value;
        has_json = true;
        continue;
      }
      if (auto node = definition.node_by_name(name)) {
        out.context = out.context.with(Context::of_node(*node), member.value);
        out.plain = false;
        continue;
      }
      out.input.set(name, member.value);
    }
  }
  // A sender that gives nothing but the payload means it as the input.
  if (has_json && out.input.size() == 0) out.input = json;
  out.payload = has_json ? json : out.input;
  out.context = out.context.with(Context::json_key, out.payload);
  return out;
}

std::shared_ptr<const Run> state_at(graph::DefinitionRef definition, NodeIndex node, Begin begin) {
  Run run;
  run.definition = std::move(definition);
  run.input = begin.input;
  run.trigger = begin.input;
  run.trigger_kind = "rabbitmq";
  Token token;
  token.node = node;
  token.context = std::move(begin.context);
  token.payload = std::move(begin.payload);
  add_token(run, run.next_token++, std::move(token));
  return std::make_shared<const Run>(std::move(run));
}

}  // namespace fermata::rune
