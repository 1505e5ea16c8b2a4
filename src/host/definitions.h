#pragma once
#include "base/error.h"
#include "core/graph/definition.h"

namespace fermata {

/// Compiled definitions by hash. Safe from several threads; the same hash gives the same object
/// while it is in use.
class Definitions {
 public:
  virtual ~Definitions() = default;
  virtual Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) = 0;
};

}  // namespace fermata
