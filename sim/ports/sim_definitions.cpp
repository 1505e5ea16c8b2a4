#include "sim/ports/sim_definitions.h"

#include "core/graph/check.h"
#include "core/run/script_definition.h"
#include "sim/fault.h"

namespace fermata::sim {

void SimDefinitions::add(const graph::DefinitionRef& definition) {
  originals_.emplace(definition->hash, definition);
  compiled_.emplace(definition->hash, definition);
}

graph::DefinitionRef SimDefinitions::original(const DefinitionHash& hash) const {
  auto found = originals_.find(hash);
  return found == originals_.end() ? nullptr : found->second;
}

Outcome<graph::DefinitionRef> SimDefinitions::definition(const DefinitionHash& hash) {
  if (auto found = compiled_.find(hash); found != compiled_.end()) return found->second;
  graph::DefinitionRef known = original(hash);
  if (!known) return fail(ErrorCode::data_damaged, "no definition " + hash.text());
  FERMATA_TRY(compiled, ready_definition(known->canonical));
  if (compiled->hash != hash) throw Violation{"a definition compiled anew has another hash"};
  compiled_.emplace(hash, compiled);
  return compiled;
}

Outcome<FoundWorkflow> SimDefinitions::workflow(const AccountId&, const WorkflowId& id,
                                                uint32_t version) {
  auto found = named_.find(id.text());
  if (found == named_.end() || version > 1)
    return fail(ErrorCode::workflow_not_found, "there is no workflow " + id.text());
  FERMATA_TRY(compiled, definition(found->second));
  return FoundWorkflow{compiled, 1};
}

}  // namespace fermata::sim
