#include "ports/accounts.h"

namespace fermata {

Outcome<void> check_revision(uint64_t stored, uint64_t written, const std::string& what) {
  if (written == stored + 1) return {};
  return fail(ErrorCode::version_conflict, what + " is at revision " + std::to_string(stored) +
                                               ", not " + std::to_string(written - 1));
}

}  // namespace fermata
