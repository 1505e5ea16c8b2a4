#pragma once
#include <map>

#include "host/definitions.h"

namespace fermata::sim {

/// The definitions of a seed. After a restart they may be compiled anew from their canonical form,
/// as a server does that reads them from its store.
class SimDefinitions final : public Definitions {
 public:
  Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) override;
  /// Version 1 of the workflow whose name is given.
  Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id,
                                  uint32_t version) override;
  void add(const graph::DefinitionRef& definition);
  void name(const std::string& workflow, const graph::DefinitionRef& definition) {
    named_[workflow] = definition->hash;
  }
  void forget_compiled() { compiled_.clear(); }
  /// As it was first made; for those who watch.
  graph::DefinitionRef original(const DefinitionHash& hash) const;

 private:
  std::map<std::string, DefinitionHash> named_;
  std::map<DefinitionHash, graph::DefinitionRef> originals_;
  std::map<DefinitionHash, graph::DefinitionRef> compiled_;
};

}  // namespace fermata::sim
