#pragma once
#include "core/model/summary.h"
#include "ports/dead_letters.h"

namespace fermata {

/// Messages of a bus that cannot be used become dead letters before they are settled (J-83).
class PoisonLetters {
 public:
  virtual ~PoisonLetters() = default;
  /// Opens an entry that belongs to no job, with its line of the audit, in one commit. One with the
  /// same id that is there already stays as it is, and nothing is written. Safe from several
  /// threads.
  virtual Outcome<void> keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) = 0;
};

}  // namespace fermata
