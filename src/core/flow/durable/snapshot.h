#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/flow/durable/execution.h"
#include "core/flow/expression.h"

/// A parked machine as bytes (F-45).
namespace fermata::flow {

class Machine;
class Reach;

struct SnapshotError {
  std::string code;  ///< `snapshot_unreadable`, or `snapshot_newer` for one of a later release
  std::string message;
};

std::string encode_snapshot(const Machine& machine, const Execution& execution, const Reach& reach);
/// The same for a machine whose frames and functions are of another program by now.
std::string encode_snapshot_as(const Expression::Program& program, const Machine& machine,
                               const Execution& execution, const Reach& reach);
/// Fills a fresh machine. Whatever the bytes are, it gives a sound machine or an error.
Result<void, SnapshotError> decode_snapshot(std::string_view bytes, Machine& machine,
                                            const Execution& execution);

}  // namespace fermata::flow
