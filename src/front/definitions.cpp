#include "front/definitions.h"

#include <algorithm>

#include "base/json.h"
#include "core/graph/check.h"

namespace fermata::front {

Outcome<graph::DefinitionRef> Definitions::load(const DefinitionHash& hash) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = known_.find(hash.text()); found != known_.end())
      if (auto definition = found->second.lock()) return definition;
  }
  FERMATA_TRY(text, catalog_.definition(hash));
  if (!text) return fail(ErrorCode::data_damaged, "The definition " + hash.text() + " is missing.");
  FERMATA_TRY(canonical, parse_json(*text));
  FERMATA_TRY(definition, graph::compile_definition(canonical));
  return keep(definition);
}

graph::DefinitionRef Definitions::keep(const graph::DefinitionRef& definition) {
  std::lock_guard lock(mutex_);
  auto& known = known_[definition->hash.text()];
  if (auto already = known.lock()) return already;
  known = definition;
  kept_.push_back(definition);
  if (kept_.size() > kept_max_) kept_.pop_front();
  if (known_.size() > 4 * kept_max_) forget_unused();
  return definition;
}

void Definitions::forget_unused() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
}

Outcome<ResolvedWorkflow> resolve_workflow(Catalog& catalog, Definitions& definitions,
                                           const AccountId& account, const WorkflowId& id,
                                           std::optional<uint32_t> version) {
  FERMATA_TRY(record, catalog.workflow(account, id));
  if (!record)
    return fail(ErrorCode::workflow_not_found, "There is no workflow `" + id.text() + "`.");
  ResolvedWorkflow out;
  out.version = version.value_or(record->current_version);
  DefinitionHash hash = record->current_hash;
  if (out.version != record->current_version) {
    FERMATA_TRY(versions, catalog.versions(account, id));
    auto found = std::find_if(versions.begin(), versions.end(),
                              [&](const auto& one) { return one.version == out.version; });
    if (found == versions.end())
      return fail(ErrorCode::version_not_found, "The workflow `" + id.text() + "` has no version " +
                                                    std::to_string(out.version) + ".");
    hash = found->hash;
  }
  FERMATA_TRY(definition, definitions.load(hash));
  out.record = *std::move(record);
  out.definition = std::move(definition);
  return out;
}

}  // namespace fermata::front
