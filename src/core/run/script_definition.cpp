#include "core/run/script_definition.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/json.h"
#include "core/flow/compile_script.h"
#include "core/graph/check.h"

namespace fermata {

graph::DefinitionRef make_script_definition(flow::ScriptRef script) {
  auto definition = std::make_shared<graph::Definition>();
  flow::CompiledScript compiled = flow::compile_script(script->script.source);
  check(static_cast<bool>(compiled.script));
  definition->hash = script->hash;
  definition->program = compiled.script;
  if (script->script.front.timeout) definition->timeout_ms = script->script.front.timeout->ms;
  definition->canonical = Value::object({{"language", "flow"}, {"source", script->script.source}});
  definition->script = std::move(script);
  return definition;
}

bool is_external(const Value& canonical) { return canonical.get("language") == Value("external"); }

graph::DefinitionRef make_external_definition(Value canonical) {
  auto definition = std::make_shared<graph::Definition>();
  definition->hash = DefinitionHash(sha256_hex(to_canonical_json(canonical)));
  definition->external = true;
  definition->callback = canonical.get("callback");
  definition->canonical = std::move(canonical);
  definition->index_names();
  return definition;
}

Outcome<graph::DefinitionRef> ready_definition(const Value& canonical) {
  if (is_external(canonical)) return make_external_definition(canonical);
  if (canonical.get("language") != Value("flow")) return graph::compile_definition(canonical);
  const Value& source = canonical.get("source");
  if (!source.is_string()) return fail(ErrorCode::data_damaged, "a stored script has no source");
  flow::CheckedScript checked = flow::check_script(source.as_string());
  if (!checked.errors.empty())
    return fail(ErrorCode::data_damaged, "a stored script no longer passes its checks");
  return make_script_definition(flow::make_definition(std::move(checked)));
}

}  // namespace fermata
