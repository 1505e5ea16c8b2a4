#pragma once
#include "base/value.h"
#include "front/run_query.h"
#include "ports/dead_letters.h"

namespace fermata::front {

/// Reads which entries of the dead letter queue are meant: `state` (open, resolved, all),
/// `reason_code`, `topic`, `status`, `job_id`, `run_id`, `from`, `to`. Paging is left alone. Fails
/// with one finding per bad parameter.
Outcome<DeadLetterFilter> read_dead_letter_filter(const NamedValues& query,
                                                  const AccountId& account);

/// The same from an object, for open entries: `{reason_code, topic, status, job_id, run_id, from,
/// to}`.
Outcome<DeadLetterFilter> read_dead_letter_selection(const Value& asked, const AccountId& account);

struct PurgeRequest {
  DeadLetterFilter filter;
  bool dry_run = false;
};
/// `{filter: {…} or "all", dry_run}`; a filter that selects nothing in particular is refused.
Outcome<PurgeRequest> read_purge(const Value& body, const AccountId& account);

/// An entry as people see it.
Value dead_letter_value(const DeadLetterEntry& entry);

}  // namespace fermata::front
