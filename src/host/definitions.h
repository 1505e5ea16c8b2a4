#pragma once
#include "base/error.h"
#include "core/graph/definition.h"

namespace fermata {

/// A version of a workflow, ready to run.
struct FoundWorkflow {
  graph::DefinitionRef definition;
  uint32_t version = 0;
  bool active = true;
};

/// Compiled definitions by hash. Safe from several threads; the same hash gives the same object
/// while it is in use.
class Definitions {
 public:
  virtual ~Definitions() = default;
  virtual Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) = 0;
  /// The version asked for, or the current one for 0. Fails with workflow_not_found or
  /// version_not_found.
  virtual Outcome<FoundWorkflow> workflow(const AccountId& account, const WorkflowId& id,
                                          uint32_t version) = 0;
};

}  // namespace fermata
