#pragma once
#include <vector>

#include "adapters/postgres/arguments.h"
#include "adapters/postgres/commit_statement.h"
#include "core/model/wait.h"

namespace fermata::postgres {

/// The columns of rows of `waits`, with what a commit needs beside them.
class WaitColumns {
 public:
  /// `n`: the place in the batch of the run's write.
  void add(int64_t n, const WaitRecord& record);
  void write(CommitStatement& statement) const;
  bool empty() const { return n_.empty(); }
  /// Those of the table, in the order of `names`.
  std::vector<const Column*> of_row() const;
  static constexpr const char* names =
      "run, step, occurrence, id, account, workflow, contact_id, source, wait_type, status, "
      "due_at, event_type, event_types, correlation_id, hold_reason, parked, reached_at, "
      "updated_at, ended_at, resumed_by, ended_reason, matched_event_id, retry_count, last_error, "
      "timezone, local_target, gap_policy, tzdata_version, config, metadata, listeners, counts, "
      "record";

 private:
  static std::string tally_sql();

  Column n_{Type::integer}, place_{Type::integer}, run_{Type::text}, step_{Type::text};
  Column occurrence_{Type::number}, id_{Type::text}, account_{Type::text}, workflow_{Type::text};
  Column contact_{Type::text}, source_{Type::text}, type_{Type::text}, status_{Type::text};
  Column due_{Type::number}, event_type_{Type::text}, event_types_{Type::text};
  Column correlation_{Type::text}, hold_{Type::text}, parked_{Type::flag}, reached_{Type::number};
  Column updated_{Type::number}, ended_{Type::number}, resumed_by_{Type::text};
  Column ended_reason_{Type::text}, signal_{Type::text}, retries_{Type::number};
  Column last_error_{Type::text}, timezone_{Type::text}, local_target_{Type::text};
  Column gap_policy_{Type::text}, tzdata_{Type::text}, config_{Type::text}, metadata_{Type::text};
  Column listeners_{Type::text}, counts_{Type::text}, record_{Type::bytes};
  Column openings_{Type::text}, endings_{Type::text};
};

}  // namespace fermata::postgres
