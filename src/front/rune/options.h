#pragma once
#include <functional>
#include <string>

#include "base/id.h"

namespace fermata::rune {

constexpr const char* lane = "rabbit";
constexpr const char* execution_queue = "workflow.execution";
constexpr const char* resume_queue = "workflow.resume";
constexpr const char* status_queue = "workflow.node.status";
constexpr const char* completion_queue = "workflow.completion";
constexpr const char* initiated_queue = "workflow.worker.initiated";
constexpr const char* timeout_queue = "workflow.timeout.process";

/// A value that is larger is told by reference (C-55).
constexpr size_t value_bytes_max = 256 << 10;
/// A start message is told in full up to this size, under `rune_compat` (C-62).
constexpr size_t start_bytes_max = 1 << 20;
/// A larger message is not read (C-53).
constexpr size_t message_bytes_max = 4 << 20;

/// Settings `rabbitmq.…` that say how the wire contract of Rune is spoken.
struct Options {
  AccountId account{"default"};
  bool compat = false;  ///< Rune's own forms instead of those of the RFCs (C-62)
};

}  // namespace fermata::rune
