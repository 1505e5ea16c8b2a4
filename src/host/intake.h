#pragma once
#include <functional>

#include "base/error.h"
#include "core/model/command.h"
#include "core/model/summary.h"

namespace fermata {

/// Told once what became of a command: after its commit is durable the run's summary, else why it
/// was refused. Called on the partition's thread; must not block.
using Reply = std::function<void(Outcome<RunSummary>)>;

/// The way into the engine. Safe from any thread.
class Intake {
 public:
  virtual ~Intake() = default;
  /// False when the queue is full or the engine is stopping; then `reply` is not called.
  [[nodiscard]] virtual bool submit(Command command, Reply reply) = 0;
};

}  // namespace fermata
