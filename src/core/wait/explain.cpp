#include "core/wait/resolve.h"

namespace fermata::waits {

Value explained(const WaitInstant& found) {
  Value skipped = Value::array();
  for (const SkippedDate& one : found.skipped)
    skipped.push(Value::object({{"date", to_text(one.date)}, {"why", one.why}}));
  Value adjusted;
  if (found.adjusted == LocalMatch::Kind::gap) adjusted = Value("gap");
  if (found.adjusted == LocalMatch::Kind::overlap) adjusted = Value("overlap");
  return Value::object(
      {{"rule", found.rule}, {"skipped", std::move(skipped)}, {"adjusted", std::move(adjusted)}});
}

}  // namespace fermata::waits
