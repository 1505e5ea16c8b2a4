#include "core/run/script_definition.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/json.h"
#include "core/flow/code_bytes.h"
#include "core/flow/script.h"
#include "core/graph/check.h"

namespace fermata {

graph::DefinitionRef make_script_definition(flow::ScriptRef script) {
  check(static_cast<bool>(script->script.program));
  auto definition = std::make_shared<graph::Definition>();
  const flow::FrontMatter& front = script->script.front;
  definition->hash = script->hash;
  definition->program = script->script.program;
  if (front.timeout) definition->timeout_ms = front.timeout->ms;
  definition->rolls_back = front.rolls_back;
  definition->canonical = Value::object({{"code", base64(flow::encode_code(definition->program))},
                                         {"language", "flow"},
                                         {"source", script->script.source}});
  definition->script = std::move(script);
  return definition;
}

namespace {

/// What was stored was checked then: rules that have come since do not count.
Outcome<flow::CheckedScript> stored_script(const Value& source, const Value& code) {
  flow::CheckedScript script = flow::check_script(source.as_string(), {.compile = code.is_null()});
  if (code.is_null()) {
    if (script.program) return script;
    return fail(ErrorCode::data_damaged, "a stored script no longer passes its checks");
  }
  script.errors.clear();
  std::string bytes;
  if (!code.is_string() || !unbase64(code.as_string(), bytes))
    return fail(ErrorCode::data_damaged, "the code of a stored script is no text");
  auto program = flow::decode_code(bytes, script.source);
  if (!program) {
    const flow::CodeError& error = program.error();
    return fail(error.newer ? ErrorCode::schema_newer : ErrorCode::data_damaged, error.message);
  }
  script.program = *std::move(program);
  return script;
}

}  // namespace

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
  FERMATA_TRY(script, stored_script(source, canonical.get("code")));
  return make_script_definition(flow::make_definition(std::move(script)));
}

}  // namespace fermata
