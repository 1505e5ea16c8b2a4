#include "adapters/postgres/moving_things.h"

#include <algorithm>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/audit_rows.h"
#include "adapters/postgres/job_file_rows.h"
#include "adapters/postgres/root_rows.h"
#include "adapters/postgres/wait_columns.h"
#include "base/hash.h"
#include "base/json.h"
#include "core/model/contact.h"
#include "ports/record/account_record.h"
#include "ports/record/bulk_record.h"
#include "ports/record/fields_record.h"
#include "ports/record/job_log_record.h"
#include "ports/record/job_record.h"
#include "ports/record/schedule_record.h"

namespace fermata::postgres {
namespace {

using Text = std::optional<std::string>;

/// Null for an empty one, as commits write it.
Text some_text(std::string text) { return text.empty() ? Text{} : Text(std::move(text)); }
Text some_readable(std::string_view text) { return some_text(readable(text)); }

int moved_shard(const std::string& id) { return static_cast<int>(sha256(id)[0]); }

/// Numbers of runs, jobs and schedules are counted apart in the store that is left.
uint64_t root_number(RootKind kind, uint64_t number) {
  return number * 3 + static_cast<uint64_t>(kind);
}

struct MovedRoot {
  RootKind kind;
  std::string id;
  uint64_t number;
  uint64_t salt = root_salt(kind, id);
  int shard = moved_shard(id);
};

void put_history(MovedRows& rows, const MovedRoot& root, const std::vector<HistoryChunk>& history) {
  for (const HistoryChunk& chunk : history)
    rows.add(root.shard, root.number, chunk.first_sequence, static_cast<int>(chunk.count),
             uint64_t{record::history_checksum(root.salt, 0, chunk)}, chunk.bytes);
}

void put_checkpoint(MovedRows& rows, const MovedRoot& root, const Checkpoint& one) {
  rows.add(root.shard, root.number, one.sequence,
           uint64_t{record::checkpoint_checksum(root.salt, one)}, one.bytes);
}

}  // namespace

void ThingRows::add(const transfer::Item& item) {
  std::visit([&](const auto& one) { put(item.number, one); }, item.thing);
}

MovedRows& ThingRows::rows(std::string_view table) {
  auto found = tables_.find(table);
  if (found == tables_.end())
    found = tables_.emplace(std::string(table), MovedRows(moved_table(table))).first;
  return found->second;
}

void ThingRows::put(uint64_t, const transfer::Definition& one) {
  rows("definitions")
      .add(0, one.hash.text(),
           record::seal(one.canonical, salt_of("definitions", one.hash.text())));
}

void ThingRows::put(uint64_t, const transfer::Orphan& one) {
  rows("orphans").add(0, one.hash.text(), one.since_ms);
}

void ThingRows::put(uint64_t, const transfer::Workflow& one) {
  const WorkflowRecord& record = one.record;
  std::string key = joined_key(record.account.text(), record.id.text());
  rows("workflow_records")
      .add(0, record.account.text(), record.id.text(), some_text(record.webhook_guid),
           record.active, record::encode_workflow(record, salt_of("workflow_records", key)));
  for (const WorkflowVersion& version : one.versions) {
    uint64_t salt = salt_of("workflow_versions", joined_key(key, std::to_string(version.version)));
    rows("workflow_versions")
        .add(0, record.account.text(), record.id.text(), uint64_t{version.version},
             version.hash.text(), record::encode_version(version, salt));
  }
}

void ThingRows::put(uint64_t, const WorkflowRules& one) {
  std::string key = joined_key(one.account.text(), one.workflow.text());
  rows("workflow_rules")
      .add(0, one.account.text(), one.workflow.text(),
           record::encode_rules(one, salt_of("workflow_rules", key)));
}

void ThingRows::put(uint64_t, const KeyRecord& one) {
  rows("api_keys")
      .add(0, one.id, one.account.text(), record::encode_key(one, salt_of("api_keys", one.id)));
}

void ThingRows::put(uint64_t, const CredentialRecord& one) {
  std::string key = joined_key(one.account.text(), one.id);
  rows("credentials")
      .add(0, one.account.text(), one.id, one.name,
           record::encode_credential(one, salt_of("credentials", key)));
}

void ThingRows::put(uint64_t, const IdempotencyMark& one) {
  std::string key = joined_key(one.account.text(), one.key);
  rows("marks").add(0, one.account.text(), one.key, one.expires_at,
                    record::encode_mark(one, salt_of("marks", key)));
}

void ThingRows::put(uint64_t, const AccountRecord& one) {
  rows("accounts")
      .add(0, one.account.text(),
           record::encode_account(one, salt_of("accounts", one.account.text())));
}

void ThingRows::put(uint64_t number, const SavedView& one) {
  std::string key = joined_key(one.account.text(), one.id);
  rows("saved_views")
      .add(0, number, one.account.text(), one.id,
           record::encode_fields(one, salt_of("saved_views", key)));
}

void ThingRows::put(uint64_t number, const transfer::WholeRun& one) {
  const RunSummary& run = one.run.summary;
  MovedRoot root{RootKind::run, run.id.text(), root_number(RootKind::run, number)};
  rows("roots").add(root.shard, root.number, static_cast<int>(root.kind), root.id,
                    run.account.text(), run.workflow.text(), std::string(), root.shard,
                    one.run.version, static_cast<int>(run.status), !is_terminal(run.status),
                    run.started_at, run.completed_at.value_or(run.started_at),
                    record::encode_run(one.run.version, 0, run, root.salt));
  put_history(rows("history"), root, one.run.history);
  for (const Checkpoint& checkpoint : one.checkpoints)
    put_checkpoint(rows("checkpoints"), root, checkpoint);
  std::vector<int64_t> tags = tags_of(run);
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  for (int64_t tag : tags) rows("tags").add(root.shard, tag, root.number);
}

void ThingRows::put(uint64_t number, const transfer::WholeJob& one) {
  const job::Summary& job = one.job.summary;
  MovedRoot root{RootKind::job, job.id.text(), root_number(RootKind::job, number)};
  rows("roots").add(root.shard, root.number, static_cast<int>(root.kind), root.id,
                    job.account.text(), job.workflow.text(), job.run.text(), root.shard,
                    one.job.version, static_cast<int>(job.state),
                    !is_terminal(job.state) || job.next_due.has_value(), job.submitted_at,
                    job.ended_at.value_or(job.submitted_at),
                    record::encode_job(one.job.version, 0, job, root.salt));
  put_history(rows("history"), root, one.job.history);
  if (one.held)
    rows("held_outputs").add(root.shard, root.number, record::seal(*one.held, held_salt(job.id)));
  for (const std::string& blob : one.blobs)
    rows("blob_refs").add(root.shard, root.number, job.account.text(), blob);
  for (const transfer::LogPart& part : one.log)
    rows("job_logs")
        .add(root.shard, part.number, root.number, uint64_t{part.chunk.attempt}, part.size,
             record::encode_log(part.chunk, log_salt(job.id)));
}

void ThingRows::put(uint64_t number, const transfer::WholeSchedule& one) {
  const schedule::ScheduleSummary& schedule = one.schedule.summary;
  MovedRoot root{RootKind::schedule, root_id(schedule.key()),
                 root_number(RootKind::schedule, number)};
  rows("roots").add(
      root.shard, root.number, static_cast<int>(root.kind), root.id, schedule.account.text(),
      schedule.workflow.text(), std::string(), root.shard, one.schedule.version,
      static_cast<int>(schedule.status), schedule.status == schedule::Status::active, int64_t{0},
      int64_t{0},
      record::encode_schedule({one.schedule.version, one.history_from, std::nullopt, schedule},
                              root.salt));
  put_history(rows("history"), root, one.schedule.history);
  if (one.schedule.checkpoint) put_checkpoint(rows("checkpoints"), root, *one.schedule.checkpoint);
  if (one.deleted_ms) rows("schedule_deleted").add(root.shard, root.number, *one.deleted_ms);
}

void ThingRows::put(uint64_t, const WaitRecord& one) {
  WaitColumns columns;
  columns.add(0, one);
  rows("waits").take(columns.of_row(), moved_shard(one.run.text()));
}

void ThingRows::put(uint64_t, const transfer::WaitNumber& one) {
  rows("wait_tally")
      .add(0, one.key.kind, one.key.account.text(), one.key.slot, one.key.workflow.text(),
           readable(one.key.key), one.count.waits, one.count.waited_ms);
}

void ThingRows::put(uint64_t number, const ApprovalRecord& one) {
  const std::string& id = one.approval.id;
  rows("approvals")
      .add(0, number, id, one.account.text(), one.run.text(), static_cast<int>(one.approval.status),
           record::encode_fields(one, salt_of("approvals", id)));
}

void ThingRows::put(uint64_t number, const Delivery& one) {
  rows("deliveries")
      .add(0, number, one.id, one.account.text(), one.run.text(), static_cast<int>(one.state),
           one.version, record::encode_fields(one, salt_of("deliveries", one.id)));
}

void ThingRows::put(uint64_t number, const SignalRecord& one) {
  const Signal& signal = one.signal;
  Text reached;
  if (one.reach != SignalReach{}) reached = to_json(to_value(one.reach));
  rows("signals").add(0, number, signal.account.text(), signal.id, signal.type,
                      some_text(signal.contact_id), some_text(signal.run.text()),
                      some_readable(signal.correlation_id), some_text(json_or_nothing(signal.data)),
                      signal.occurred_at, signal.received_at, one.expires_at,
                      some_readable(signal.phone), some_readable(signal.email), one.open, reached,
                      one.reach.total);
}

void ThingRows::put(uint64_t number, const SignalReached& one) {
  rows("signal_effects")
      .add(0, number, one.signal.account.text(), one.signal.id, std::string(name_of(one.kind)),
           one.ref, to_json(one.entry));
}

void ThingRows::put(uint64_t, const Contact& one) {
  std::string key = joined_key(one.account.text(), one.id);
  rows("contact_records")
      .add(0, one.account.text(), one.id, some_readable(one.timezone), some_readable(one.phone),
           some_readable(one.email), one.opted_out_at.has_value(),
           some_text(json_or_nothing(one.fields)), some_text(json_or_nothing(one.labels)),
           one.deleted_at, one.created_at, one.updated_at, some_readable(phone_key(one.phone)),
           some_readable(email_key(one.email)), one.version,
           record::encode_fields(one, salt_of("contact_records", key)));
}

void ThingRows::put(uint64_t number, const DeadLetterEntry& one) {
  const job::DeadLetter& letter = one.letter;
  rows("dead_letters")
      .add(0, number, letter.id, letter.account.text(), letter.job.text(), letter.reason_code,
           letter.created_at, one.open(), static_cast<int>(one.resolution), one.resolved_at,
           one.resolved_by, one.retried_as.text(),
           record::encode_fields(letter, salt_of("dead_letters", letter.id)));
}

void ThingRows::put(uint64_t, const transfer::Blob& one) {
  rows("blobs").add(0, one.account.text(), one.sha256, one.put_ms, uint64_t{one.bytes.size()},
                    one.unused, one.bytes);
}

void ThingRows::put(uint64_t, const fleet::RegistrationRecord& one) {
  const std::string& id = one.id.text();
  rows("workers").add(0, id, record::seal(fleet::encode(one), salt_of("workers", id)));
}

void ThingRows::put(uint64_t number, const transfer::Bulk& one) {
  const BulkRecord& bulk = one.record;
  rows("bulks").add(0, number, bulk.id, bulk.account.text(), bulk.state == BulkState::running,
                    record::encode_bulk(bulk, salt_of("bulks", bulk.id)));
  rows("bulk_selections")
      .add(0, bulk.id, record::encode_items(one.items, salt_of("bulk_selections", bulk.id)));
}

void ThingRows::put(uint64_t, const transfer::PolicyRevision& one) {
  rows("documents").add(0, std::string("policy"), one.revision, std::nullopt);
}

void ThingRows::put(uint64_t number, const PolicyDocument& one) {
  std::string kind = std::to_string(static_cast<int>(one.kind));
  std::string key = joined_key(kind, joined_key(one.account.text(), one.id));
  rows("policies")
      .add(0, number, static_cast<int>(one.kind), one.account.text(), one.id,
           record::encode_fields(one, salt_of("policies", key)));
}

void ThingRows::put(uint64_t, const transfer::PolicySnapshot& one) {
  rows("policy_snapshots")
      .add(0, one.hash,
           record::encode_fields(one.effective, salt_of("policy_snapshots", one.hash)));
}

void ThingRows::put(uint64_t number, const PolicyVersion& one) {
  rows("policy_versions")
      .add(0, number, one.account.text(),
           record::encode_fields(one, salt_of("policy_versions", one.account.text())));
}

void ThingRows::put(uint64_t number, const job::PolicyDecision& one) {
  rows("policy_decisions")
      .add(0, number, one.account.text(), one.job.text(), !one.counted.empty(), one.at,
           record::encode_fields(one, salt_of("policy_decisions", one.job.text())));
}

void ThingRows::put(uint64_t, const transfer::PolicyHit& one) {
  rows("policy_hits")
      .add(0, one.account.text(), one.hits.bundle, one.hits.rule_id, one.hits.hits,
           one.hits.last_at);
}

void ThingRows::put(uint64_t, const StoredPools& one) {
  rows("documents")
      .add(0, std::string("pools"), one.revision,
           record::encode_fields(one, salt_of("documents", "pools")));
}

void ThingRows::put(uint64_t, const transfer::Usage& one) {
  const job::Usage& usage = one.spent.usage;
  rows("account_usage")
      .add(0, one.account.text(), one.spent.day, int64_t{usage.input_tokens},
           int64_t{usage.output_tokens}, int64_t{usage.cost_micros});
}

void ThingRows::put(uint64_t number, const OutboxRow& one) {
  rows("outbox").add(0, number, one.lane, one.id,
                     record::encode_fields(one, salt_of("outbox", one.id)));
}

void ThingRows::put(uint64_t, const transfer::Marked& one) {
  rows("message_marks").add(0, one.run.text(), one.mark.id, one.mark.at);
}

void ThingRows::put(uint64_t number, const AuditEntry& one) {
  note_head(one.line.account.text(), one.sequence, one.hash);
  rows("audit").add(0, number, one.line.account.text(), one.sequence, one.line.at,
                    record::encode_audit(one, audit_salt(one.line.account, one.sequence)));
}

void ThingRows::put(uint64_t, const transfer::Removed& one) {
  note_head(one.account.text(), one.root.sequence, one.root.hash);
  rows("audit_roots").add(0, one.account.text(), one.root.sequence, one.root.hash);
}

void ThingRows::note_head(const std::string& account, uint64_t sequence, const std::string& hash) {
  Head& head = heads_[account];
  if (sequence >= head.sequence) head = {sequence, hash};
}

}  // namespace fermata::postgres
