#pragma once
#include "server/api.h"
#include "server/bulk.h"

/// Submitting once more what ended badly (J-84).
namespace fermata::server::routes {

/// The job that an entry is retried as: however often it is asked for, it is one.
struct LetterRetry {
  JobId id;
  job::Request request;
};
/// Fails where it is not a job of its own that has to be retried, naming what has.
Outcome<LetterRetry> retry_of(Api& api, const DeadLetterEntry& entry, const job::Job& job);
/// Resolves the entry as retried by that job; that it is so already is well.
Outcome<void> resolve_retried(Api& api, const std::string& entry, const JobId& as,
                              const AuditLine& audit);

/// `BulkKind::act` of entries of the dead letter queue.
void act_on_dead_letter(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                        BulkDone done);
/// `POST /dlq/bulk`.
void bulk_dead_letters(Api& api, Call call);

}  // namespace fermata::server::routes
