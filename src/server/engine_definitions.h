#pragma once
#include "front/definitions.h"
#include "host/definitions.h"

namespace fermata::server {

/// Lets the engine use the definitions the API has compiled.
class EngineDefinitions final : public Definitions {
 public:
  EngineDefinitions(front::Definitions& definitions, Catalog& catalog)
      : definitions_(definitions), catalog_(catalog) {}
  Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) override {
    return definitions_.load(hash);
  }
  Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id,
                                  uint32_t version) override {
    std::optional<uint32_t> wanted;
    if (version != 0) wanted = version;
    FERMATA_TRY(found, front::resolve_workflow(catalog_, definitions_, account, id, wanted));
    return FoundWorkflow{std::move(found.definition), found.version, found.record.active};
  }

 private:
  front::Definitions& definitions_;
  Catalog& catalog_;
};

}  // namespace fermata::server
