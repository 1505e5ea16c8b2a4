#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/flow/durable/execution.h"

/// A parked machine as bytes (F-45).
namespace fermata::flow {

class Machine;
class Reach;

struct SnapshotError {
  std::string code;  ///< `snapshot_unreadable`, or `snapshot_newer` for one of a later release
  std::string message;
};

std::string encode_snapshot(const Machine& machine, const Execution& execution,
                            const Reach& reach);
/// Fills a fresh machine. Whatever the bytes are, it gives a sound machine or an error.
Result<void, SnapshotError> decode_snapshot(std::string_view bytes, Machine& machine,
                                            const Execution& execution);

}  // namespace fermata::flow
