#include "front/definitions.h"

#include <algorithm>

#include "base/json.h"
#include "core/run/script_definition.h"
#include "core/saga/saga.h"
#include "front/flow_text.h"

namespace fermata::front {
namespace {

Outcome<AnyDefinition> made_ready(const DefinitionHash& hash, const std::string& text) {
  FERMATA_TRY(canonical, parse_json(text));
  FERMATA_TRY(definition, ready_definition(canonical));
  if (definition->is_script() && definition->hash != hash)
    return fail(ErrorCode::data_damaged, "The script " + hash.text() + " is damaged.");
  return AnyDefinition{definition, definition->script};
}

}  // namespace

Value AnyDefinition::document() const {
  return script ? flow_document(script->script.source) : graph->canonical;
}

Outcome<AnyDefinition> Definitions::load_any(const DefinitionHash& hash) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = known_.find(hash.text()); found != known_.end()) {
      AnyDefinition known = found->second.lock();
      if (known.graph) return known;
    }
  }
  // The engine's own is in no catalogue.
  if (hash == saga::saga_definition()->hash) return AnyDefinition{saga::saga_definition(), nullptr};
  FERMATA_TRY(text, catalog_.definition(hash));
  if (!text) return fail(ErrorCode::data_damaged, "The definition " + hash.text() + " is missing.");
  auto ready = made_ready(hash, *text);
  if (ready) return keep(*ready);
  if (ready.error().code == ErrorCode::schema_newer) {
    std::lock_guard lock(mutex_);
    newer_.insert(hash.text());
  }
  return ready;
}

Outcome<graph::DefinitionRef> Definitions::load(const DefinitionHash& hash) {
  FERMATA_TRY(found, load_any(hash));
  return found.graph;
}

AnyDefinition Definitions::keep(const AnyDefinition& definition) {
  std::lock_guard lock(mutex_);
  Known& known = known_[definition.hash().text()];
  AnyDefinition already = known.lock();
  if (already.graph) return already;
  known = {definition.graph, definition.script};
  kept_.push_back(definition);
  if (kept_.size() > kept_max_) kept_.pop_front();
  if (known_.size() > 4 * kept_max_) forget_unused();
  return definition;
}

graph::DefinitionRef Definitions::keep(const graph::DefinitionRef& definition) {
  return keep(AnyDefinition{definition, nullptr}).graph;
}

size_t Definitions::newer() const {
  std::lock_guard lock(mutex_);
  return newer_.size();
}

void Definitions::forget_unused() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.graph.expired(); });
}

Outcome<FoundVersion> find_version(Catalog& catalog, const AccountId& account, const WorkflowId& id,
                                   std::optional<uint32_t> version) {
  FERMATA_TRY(record, catalog.workflow(account, id));
  if (!record)
    return fail(ErrorCode::workflow_not_found, "There is no workflow `" + id.text() + "`.");
  FoundVersion out;
  out.version = version.value_or(record->current_version);
  out.hash = record->current_hash;
  if (out.version != record->current_version) {
    FERMATA_TRY(versions, catalog.versions(account, id));
    auto found = std::ranges::find(versions, out.version, &WorkflowVersion::version);
    if (found == versions.end())
      return fail(ErrorCode::version_not_found, "The workflow `" + id.text() + "` has no version " +
                                                    std::to_string(out.version) + ".");
    out.hash = found->hash;
  }
  out.record = *std::move(record);
  return out;
}

Outcome<ResolvedWorkflow> resolve_workflow(Catalog& catalog, Definitions& definitions,
                                           const AccountId& account, const WorkflowId& id,
                                           std::optional<uint32_t> version) {
  FERMATA_TRY(found, find_version(catalog, account, id, version));
  FERMATA_TRY(definition, definitions.load(found.hash));
  return ResolvedWorkflow{std::move(found.record), found.version, std::move(definition)};
}

}  // namespace fermata::front
