#pragma once
#include "adapters/postgres/connection.h"
#include "core/model/signal.h"
#include "ports/reader.h"

namespace fermata::postgres {

// What is asked of waits, over one connection.

Outcome<std::optional<WaitRecord>> find_wait(Connection& connection, const std::string& id);
Outcome<std::vector<WaitRecord>> waits_of_run(Connection& connection, const RunId& run,
                                              const std::string& step);
Outcome<WaitPage> list_waits(Connection& connection, const WaitFilter& filter, size_t limit,
                             const WaitStart& start);
Outcome<std::vector<WaitSlot>> wait_slots(Connection& connection, const WaitFilter& filter);
/// Those that fall due from now on for so long and are not held.
Outcome<uint64_t> due_within(Connection& connection, const AccountId& account,
                             const WorkflowId& workflow, Instant now, Duration length);
Outcome<std::vector<WaitRecord>> limited_waits(Connection& connection, size_t after, size_t limit);
Outcome<std::vector<RunId>> runs_of_other_zones(Connection& connection, const std::string& version,
                                                const RunId& after, size_t limit);
Outcome<std::vector<WaitRecord>> listening_waits(Connection& connection, size_t after,
                                                 size_t limit);
Outcome<std::vector<WaitRecord>> heard_waits(Connection& connection, const Signal& signal,
                                             Instant since, size_t limit);

// What is asked of the numbers that are kept of them.

Outcome<WaitTally> tally_of_waits(Connection& connection, const AccountId& account,
                                  const WorkflowId& workflow, Instant now);
Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits(Connection& connection);
/// Accounts with numbers of that kind, by name.
Outcome<std::vector<AccountId>> tallied_accounts(Connection& connection, const char* kind);
Outcome<std::vector<OverdueWaits>> overdue_waits(Connection& connection, const AccountId& account,
                                                 Instant now);
/// True when waits are counted by what the filter asks for, times aside.
bool tally_keeps(const WaitFilter& filter);
/// How many a list shows; nothing when its filter asks for more than numbers are kept of.
Outcome<std::optional<uint64_t>> tallied_total(Connection& connection, const WaitFilter& filter);
/// Whole slots of a calendar; the filter is one that `tally_keeps` names.
Outcome<std::vector<WaitSlot>> tallied_slots(Connection& connection, const WaitFilter& filter,
                                             int64_t first, int64_t last);
/// Lets go of numbers that have come to nothing and of openings that nobody is told of any more,
/// within a transaction of the caller.
Outcome<uint64_t> forget_tallies(Connection& connection, Instant now, size_t limit);

}  // namespace fermata::postgres
