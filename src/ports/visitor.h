#pragma once
#include "ports/reader.h"
#include "ports/store.h"

namespace fermata {

/// Is shown everything that a store holds, and everything that is wrong with it.
class StoreVisitor {
 public:
  virtual ~StoreVisitor() = default;
  /// With its whole history.
  virtual void run(const StoredRun& run) = 0;
  /// After `run`, for each that is kept of it.
  virtual void checkpoint(const StoredRun& /*run*/, const Checkpoint& /*checkpoint*/) {}
  virtual void audit(const AuditEntry& entry) = 0;
  virtual void definition(const DefinitionHash& hash, const std::string& canonical) = 0;
  virtual void damage(const Error& error) = 0;
};

}  // namespace fermata
