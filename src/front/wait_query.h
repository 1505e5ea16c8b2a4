#pragma once
#include "front/run_query.h"

namespace fermata::front {

/// Which waits: `status` (a comma list; `pending` stands for both that are), `wait_type`,
/// `workflow_id`, `execution_id`, `contact_id`, `step_id`, `event_type`, `source`, `on_hold`,
/// `overdue`, `due_from`, `due_to`, `q`. Other names are left alone. Fails with `invalid_query`.
Outcome<WaitFilter> read_wait_filter(const NamedValues& query, const AccountId& account,
                                     Instant now);
/// Only those that are pending, whatever the query says.
Outcome<WaitFilter> read_pending_filter(const NamedValues& query, const AccountId& account,
                                        Instant now);

/// The same from the JSON object of a bulk request, where other names are refused.
Outcome<WaitFilter> read_wait_filter(const Value& filter, const AccountId& account, Instant now);

/// Which opening of a wait at a step is meant (W-3).
struct Occurrence {
  bool all = false;
  std::optional<uint32_t> number{};
};
/// From the text of a query; `all` where that is allowed.
Outcome<Occurrence> read_occurrence(const std::string* text, bool may_be_all);

}  // namespace fermata::front
