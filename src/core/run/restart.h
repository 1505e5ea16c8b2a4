#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/graph/definition.h"
#include "core/model/command.h"
#include "core/model/summary.h"
#include "core/run/history.h"

/// New runs made from old ones (G-96). Each gives the state the new run begins with, to be sent as
/// `StartRun::seed`, and a plan for `?dry_run=true`.
namespace fermata::restart {

struct Source {
  const RunSummary& summary;
  const std::vector<HistoryChunk>& history;  ///< from sequence 1
  KnownDefinitions definitions;
};

struct Seed {
  std::shared_ptr<const Run> state;
  Value plan;  ///< {repeat[], reuse[], cancel[], warnings[]}
};

Outcome<Seed> retry(const Source& source);
Outcome<Seed> rerun(const Source& source, const std::string& from_node);
Outcome<Seed> fork(const Source& source, uint64_t at_sequence, const Value& changes);

}  // namespace fermata::restart
