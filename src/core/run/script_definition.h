#pragma once
#include "base/error.h"
#include "core/graph/definition.h"

namespace fermata {

/// A script as the engine runs it: a definition without nodes that carries its code. The script
/// must have passed its checks. Its canonical form is `{"language": "flow", "source", "code"}`, so
/// whoever reads it later, with whatever compiler, runs the same code (F-46).
graph::DefinitionRef make_script_definition(flow::ScriptRef script);

/// A definition without a program (W-71): `{"language": "external", "callback"?}`, as canonical as
/// it is stored.
graph::DefinitionRef make_external_definition(Value canonical);
bool is_external(const Value& canonical);

/// A definition as it was stored, graph, external or script, made ready to
/// run. Fails with data_damaged when it cannot have been stored like this, and with schema_newer
/// when its code is of a later release.
Outcome<graph::DefinitionRef> ready_definition(const Value& canonical);

}  // namespace fermata
