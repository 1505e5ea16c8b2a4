#pragma once
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>

#include "core/flow/script.h"
#include "core/graph/definition.h"
#include "ports/catalog.h"

namespace fermata::front {

/// A definition made ready: a graph, or a script. `graph` is what the engine runs in both cases.
struct AnyDefinition {
  graph::DefinitionRef graph;
  flow::ScriptRef script;
  bool is_flow() const { return script != nullptr; }
  std::string_view language() const {
    if (script) return "flow";
    return graph->external ? "external" : "graph";
  }
  const DefinitionHash& hash() const { return script ? script->hash : graph->hash; }
  /// What a PUT of it would send: the graph's document, or {"language": "flow", "source"}.
  Value document() const;
};

/// Compiled definitions by hash, so that starting a run costs no compiling. A definition never
/// changes under its hash, so nothing is ever stale. The latest `kept_max` are held; older ones are
/// still found while somebody uses them, so the same hash gives the same object. Safe from several
/// threads.
class Definitions {
 public:
  explicit Definitions(Catalog& catalog, size_t kept_max = 1024)
      : catalog_(catalog), kept_max_(kept_max) {}

  /// Fails with `data_damaged` when the catalogue lacks it or it does not compile, and with
  /// `schema_newer` when it holds code of a later release: its runs are left to that (F-46).
  Outcome<AnyDefinition> load_any(const DefinitionHash& hash);
  /// The same as the engine runs it.
  Outcome<graph::DefinitionRef> load(const DefinitionHash& hash);
  /// Remembers it; answers the one that is remembered already, if any.
  AnyDefinition keep(const AnyDefinition& definition);
  graph::DefinitionRef keep(const graph::DefinitionRef& definition);
  /// How many definitions were met that only a later release can run.
  size_t newer() const;

 private:
  struct Known {
    std::weak_ptr<const graph::Definition> graph;
    std::weak_ptr<const flow::ScriptDefinition> script;
    AnyDefinition lock() const { return {graph.lock(), script.lock()}; }
  };
  void forget_unused();

  Catalog& catalog_;
  const size_t kept_max_;
  mutable std::mutex mutex_;
  std::set<std::string> newer_;
  std::unordered_map<std::string, Known> known_;
  std::deque<AnyDefinition> kept_;
};

/// A version of a workflow and its content's hash.
struct FoundVersion {
  WorkflowRecord record;
  uint32_t version = 0;
  DefinitionHash hash;
};
/// The version asked for, or the current one. Fails with workflow_not_found or version_not_found.
Outcome<FoundVersion> find_version(Catalog& catalog, const AccountId& account, const WorkflowId& id,
                                   std::optional<uint32_t> version);

/// A workflow's version made ready to run.
struct ResolvedWorkflow {
  WorkflowRecord record;
  uint32_t version = 0;
  graph::DefinitionRef definition;
};
/// As find_version.
Outcome<ResolvedWorkflow> resolve_workflow(Catalog& catalog, Definitions& definitions,
                                           const AccountId& account, const WorkflowId& id,
                                           std::optional<uint32_t> version);

}  // namespace fermata::front
