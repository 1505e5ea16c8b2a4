#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/sqlite/account_rows.h"
#include "adapters/sqlite/approval_rows.h"
#include "adapters/sqlite/bulk_rows.h"
#include "adapters/sqlite/catalog_queries.h"
#include "adapters/sqlite/contact_rows.h"
#include "adapters/sqlite/dead_letter_rows.h"
#include "adapters/sqlite/delivery_rows.h"
#include "adapters/sqlite/held_rows.h"
#include "adapters/sqlite/job_file_rows.h"
#include "adapters/sqlite/job_queries.h"
#include "adapters/sqlite/outbox_rows.h"
#include "adapters/sqlite/policy_rows.h"
#include "adapters/sqlite/pool_rows.h"
#include "adapters/sqlite/registration_rows.h"
#include "adapters/sqlite/run_queries.h"
#include "adapters/sqlite/schedule_queries.h"
#include "adapters/sqlite/signal_rows.h"
#include "adapters/sqlite/view_rows.h"
#include "adapters/sqlite/wait_rows.h"

namespace fermata::sqlite {

/// A connection that only reads, with its statements.
struct ReadConnection {
  explicit ReadConnection(std::unique_ptr<Database> opened) : database(std::move(opened)) {}
  std::unique_ptr<Database> database;
  RunQueries runs{*database};
  JobQueries jobs{*database};
  ScheduleQueries schedules{*database};
  WaitQueries waits{*database};
  WaitTallyQueries tally{*database};
  ApprovalQueries approvals{*database};
  DeliveryQueries deliveries{*database};
  SignalQueries signals{*database};
  ContactQueries contacts{*database};
  AccountQueries accounts{*database};
  ViewQueries views{*database};
  CatalogQueries catalog{*database};
  BulkQueries bulks{*database};
  DeadLetterQueries letters{*database};
  JobFileQueries files{*database};
  HeldQueries held{*database};
  RegistrationRows registrations{*database};
  PolicyQueries policy{*database};
  PoolQueries pools{*database};
  UsageRows usage{*database};
  OutboxQueries outbox{*database};
  Statement begin{*database, "BEGIN"};
  Statement end{*database, "COMMIT"};
};

/// A few read connections, opened when first needed, each lent to one thread at a time. They never
/// hold up the writer.
class ReadPool {
 public:
  ReadPool(std::filesystem::path file, size_t most) : file_(std::move(file)), most_(most) {}

  /// Calls `ask` with a connection that sees one state of the store throughout.
  template <class Ask>
  auto read(Ask ask) -> decltype(ask(std::declval<ReadConnection&>())) {
    FERMATA_TRY(connection, take());
    if (!connection->begin.execute()) {
      auto failure = connection->database->failure("beginning to read");
      give_back(std::move(connection));
      return failure;
    }
    auto answer = ask(*connection);
    // Nothing was written, so the end of the snapshot has nothing to tell.
    (void)connection->end.execute();
    give_back(std::move(connection));
    return answer;
  }

 private:
  Outcome<std::unique_ptr<ReadConnection>> take();
  void give_back(std::unique_ptr<ReadConnection> connection);

  const std::filesystem::path file_;
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<ReadConnection>> idle_;
  size_t opened_ = 0;
};

}  // namespace fermata::sqlite
