#pragma once
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/graph/definition.h"
#include "ports/catalog.h"

namespace fermata::front {

/// Compiled definitions by hash, so that starting a run costs no compiling. A definition never
/// changes under its hash, so nothing is ever stale. The latest `kept_max` are held; older ones are
/// still found while somebody uses them, so the same hash gives the same object. Safe from several
/// threads.
class Definitions {
 public:
  explicit Definitions(Catalog& catalog, size_t kept_max = 1024)
      : catalog_(catalog), kept_max_(kept_max) {}

  /// Fails with `data_damaged` when the catalogue lacks it or it does not compile.
  Outcome<graph::DefinitionRef> load(const DefinitionHash& hash);
  /// Remembers it; answers the one that is remembered already, if any.
  graph::DefinitionRef keep(const graph::DefinitionRef& definition);

 private:
  void forget_unused();

  Catalog& catalog_;
  const size_t kept_max_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const graph::Definition>> known_;
  std::deque<graph::DefinitionRef> kept_;
};

/// A workflow's version made ready to run.
struct ResolvedWorkflow {
  WorkflowRecord record;
  uint32_t version = 0;
  graph::DefinitionRef definition;
};
/// The version asked for, or the current one. Fails with workflow_not_found or version_not_found.
Outcome<ResolvedWorkflow> resolve_workflow(Catalog& catalog, Definitions& definitions,
                                           const AccountId& account, const WorkflowId& id,
                                           std::optional<uint32_t> version);

}  // namespace fermata::front
