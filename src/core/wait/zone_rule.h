#pragma once
#include "core/wait/zone.h"

/// The changes of clocks that a rule with summer time makes, year after year.
namespace fermata {

struct RuleChange {
  int64_t at_s = 0;                    ///< seconds since 1970
  const ZoneOffset* offset = nullptr;  ///< in force from then on; of the rule
};
/// The last change at or before a second.
RuleChange rule_change_before(const ZoneRule& rule, int64_t second);
/// The first change after a second.
RuleChange rule_change_after(const ZoneRule& rule, int64_t second);

}  // namespace fermata
