#pragma once
#include <string>
#include <vector>

#include "core/flow/durable/execution.h"
#include "core/flow/durable/snapshot.h"
#include "core/flow/expression.h"

/// Moving a parked script to another version of its source (F-56).
namespace fermata::flow {

struct MovedFrame {
  std::string fiber;  ///< `main`, or the id of its awaitable
  std::string function;
  std::string from;  ///< `function:line:col` of the point it stands at
  std::string to;
  std::string by;  ///< how that was found: `text` or `map`
  std::vector<std::string> kept;
  std::vector<std::string> dropped;
  std::vector<std::string> added;
};

struct MigrationProblem {
  std::string code;  ///< point_gone, point_unknown, function_gone, layout_changed, running
  std::string message;
  int line = 0;
  int column = 0;
};

struct MigrationReport {
  std::vector<MovedFrame> frames;
  std::vector<MigrationProblem> problems;
  bool ok() const { return problems.empty(); }
  /// `{ok, frames[], problems[]}`
  Value to_value() const;
};

struct MigrationPath {
  const Expression& from;
  const Expression& to;
  Value map;  ///< {`function:line:col` before: the same after}, or null
};

/// Changes the execution only when there is no problem. Fails when its snapshot cannot be read.
Result<MigrationReport, SnapshotError> migrate(Execution& execution, const MigrationPath& path);

}  // namespace fermata::flow
