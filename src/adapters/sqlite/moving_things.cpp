#include "adapters/sqlite/moving_things.h"

#include "base/json.h"
#include "ports/record/account_record.h"
#include "ports/record/fields_record.h"
#include "ports/record/job_log_record.h"

namespace fermata::sqlite {
namespace {

using transfer::Kind;
using transfer::Thing;

/// Columns before `more`: the number and the keys.
int first_more(const ThingTable& table) { return 1 + static_cast<int>(table.keys.size()); }

Failure<Error> unreadable_thing(const ThingTable& table, const Rows& rows) {
  std::string key;
  for (size_t i = 0; i < table.keys.size(); ++i)
    (key += i > 0 ? " " : "") += rows.text(static_cast<int>(i) + 1);
  return fail(ErrorCode::data_damaged,
              "table " + std::string(table.table) + ", row " + key + ": it cannot be read");
}

/// What a decoder gives, or the failure that names the row.
template <class Found>
Outcome<Thing> thing_or_damage(std::optional<Found> found, const ThingTable& table,
                               const Rows& rows) {
  if (!found) return unreadable_thing(table, rows);
  return Thing(*std::move(found));
}

std::string text_in(const Rows& rows, int column) { return std::string(rows.text(column)); }

}  // namespace

const std::vector<ThingTable>& thing_tables() {
  static const std::vector<ThingTable> tables = {
      {Kind::definition, "definition", "number", {"hash"}, "record", "number"},
      {Kind::orphan, "orphan", "0", {"hash"}, "since", "hash"},
      {Kind::workflow, "workflow", "number", {"account", "id"}, "record", "number"},
      {Kind::rules, "workflow_rules", "number", {"account", "workflow"}, "record", "number"},
      {Kind::key, "key", "number", {"id"}, "record", "number"},
      {Kind::credential, "credential", "number", {"account", "id"}, "record", "number"},
      {Kind::mark, "mark", "number", {"account", "key"}, "record", "number"},
      {Kind::account, "account", "number", {"id"}, "record", "number"},
      {Kind::view, "view", "number", {"account", "id"}, "record", "number"},
      {Kind::run, "run", "number", {"id"}, "", "number"},
      {Kind::job, "job", "number", {"id"}, "", "number"},
      {Kind::schedule, "schedule", "number", {"account", "id"}, "", "number"},
      {Kind::wait, "workflow_wait_executions", "0", {"id"}, "", "id"},
      {Kind::wait_number,
       "wait_tally",
       "0",
       {"kind", "account", "slot", "workflow", "key"},
       "waits, waited_ms",
       "kind, account, slot, workflow, key"},
      {Kind::approval, "approval", "number", {"id"}, "record", "number"},
      {Kind::delivery, "callback_delivery", "number", {"id"}, "record", "number"},
      {Kind::signal, "workflow_signals", "number", {"account_id", "event_id"}, "", "number"},
      {Kind::signal_effect,
       "workflow_signal_effects",
       "number",
       {"account_id", "event_id", "kind", "ref"},
       "entry",
       "number"},
      {Kind::contact, "contacts", "0", {"account_id", "id"}, "version, record", "account_id, id"},
      {Kind::dead_letter, "dead_letter", "number", {"id"}, "record", "number"},
      {Kind::blob, "blob", "number", {"account", "sha256"}, "put_at, jobs", "number"},
      {Kind::registration, "registration", "number", {"id"}, "record", "number"},
      {Kind::bulk, "bulk", "number", {"id"}, "", "number"},
      {Kind::policy_revision, "policy_revision", "number", {"number"}, "revision", "number"},
      {Kind::policy_document,
       "policy_document",
       "number",
       {"kind", "account", "id"},
       "record",
       "number"},
      {Kind::policy_snapshot, "policy_snapshot", "number", {"hash"}, "record", "number"},
      {Kind::policy_version, "policy_version", "number", {"number"}, "record", "number"},
      {Kind::policy_decision, "policy_decision", "number", {"number"}, "record", "number"},
      {Kind::policy_hit,
       "policy_hit",
       "0",
       {"account", "bundle", "rule"},
       "hits, last_at",
       "account, bundle, rule"},
      {Kind::pools, "pool_document", "number", {"number"}, "record", "number"},
      {Kind::usage,
       "account_usage",
       "0",
       {"account", "day"},
       "input_tokens, output_tokens, cost_micros",
       "account, day"},
      {Kind::outbox, "outbox", "number", {"number"}, "record", "number"},
      {Kind::message_mark, "message_mark", "0", {"execution", "mark"}, "at", "execution, mark"},
      {Kind::audit, "audit", "number", {"number"}, "record", "number"},
      {Kind::audit_root, "audit_root", "number", {"account"}, "record", "number"}};
  return tables;
}

Statement& ThingReader::statement(const ThingTable& table, bool by_key) {
  std::unique_ptr<Statement>& kept = statements_[{table.kind, by_key}];
  if (kept) return *kept;
  std::string sql = std::string("SELECT ") + table.number;
  for (const char* key : table.keys) (sql += ", ") += key;
  if (*table.more != '\0') (sql += ", ") += table.more;
  (sql += " FROM ") += table.table;
  const char* lead = " WHERE ";
  if (by_key)
    for (const char* key : table.keys) {
      ((sql += lead) += key) += " = ?";
      lead = " AND ";
    }
  (sql += " ORDER BY ") += table.order;
  texts_.push_back(std::move(sql));
  kept = std::make_unique<Statement>(database_, texts_.back().c_str());
  return *kept;
}

Outcome<void> ThingReader::all(const transfer::Take& take) {
  for (const ThingTable& table : thing_tables()) {
    Rows rows = statement(table, false).query();
    FERMATA_TRY_VOID(give(table, rows, take));
  }
  return {};
}

Outcome<void> ThingReader::some(std::span<const transfer::Key> keys, const transfer::Take& take) {
  for (const transfer::Key& key : keys) {
    const ThingTable& table = thing_tables()[static_cast<size_t>(key.kind)];
    Rows rows = statement(table, true).query_texts(key.parts);
    FERMATA_TRY_VOID(give(table, rows, take));
  }
  return {};
}

Outcome<void> ThingReader::give(const ThingTable& table, Rows& rows, const transfer::Take& take) {
  while (rows.next()) {
    FERMATA_TRY(found, thing(table, rows));
    FERMATA_TRY_VOID(take({rows.natural(0), std::move(found)}));
  }
  if (rows.failed()) return database_.failure("reading what is to be moved");
  return {};
}

Outcome<Thing> ThingReader::thing(const ThingTable& table, const Rows& rows) {
  switch (table.kind) {
    case Kind::run: return run(rows.natural(0));
    case Kind::job: return job(rows.natural(0));
    case Kind::schedule: return schedule(rows.natural(0));
    case Kind::bulk: return bulk(text_in(rows, 1));
    case Kind::blob: return blob(rows);
    case Kind::workflow: return workflow(rows.natural(0), rows.blob(first_more(table)));
    case Kind::wait: {
      FERMATA_TRY(found, waits_.find(text_in(rows, 1)));
      return thing_or_damage(std::move(found), table, rows);
    }
    case Kind::signal: {
      FERMATA_TRY(found, signals_.find({AccountId(text_in(rows, 1)), text_in(rows, 2)}));
      return thing_or_damage(std::move(found), table, rows);
    }
    case Kind::orphan:
    case Kind::wait_number:
    case Kind::signal_effect:
    case Kind::policy_revision:
    case Kind::policy_hit:
    case Kind::usage:
    case Kind::message_mark: return plain(table, rows);
    case Kind::policy_document:
    case Kind::policy_snapshot:
    case Kind::policy_version:
    case Kind::policy_decision:
    case Kind::pools: return policy(table, rows, first_more(table));
    default: return record(table, rows, first_more(table));
  }
}

/// Of kinds whose row is a record with its number, or something near it.
Outcome<Thing> ThingReader::record(const ThingTable& table, const Rows& rows, int more) {
  uint64_t number = rows.natural(0);
  std::string_view bytes = rows.blob(more);
  auto made = [&](auto found) { return thing_or_damage(std::move(found), table, rows); };
  switch (table.kind) {
    case Kind::definition: {
      auto body = unseal(bytes, number);
      if (!body) return unreadable_thing(table, rows);
      return Thing(transfer::Definition{DefinitionHash(text_in(rows, 1)), std::string(*body)});
    }
    case Kind::rules: return made(decode_rules(bytes, number));
    case Kind::key: return made(decode_key(bytes, number));
    case Kind::credential: return made(decode_credential(bytes, number));
    case Kind::mark: return made(decode_mark(bytes, number));
    case Kind::account: return made(decode_account(bytes, number));
    case Kind::view: return made(decode_fields<SavedView>(bytes, number));
    case Kind::approval: return made(decode_fields<ApprovalRecord>(bytes, number));
    case Kind::delivery: return made(decode_fields<Delivery>(bytes, number));
    case Kind::contact:
      return made(decode_fields<Contact>(rows.blob(more + 1), rows.natural(more)));
    case Kind::dead_letter: return made(decode_fields<DeadLetterEntry>(bytes, number));
    case Kind::registration: {
      auto body = unseal(bytes, 0);
      if (!body) return unreadable_thing(table, rows);
      auto found = fleet::decode_registration(*body);
      if (!found) return unreadable_thing(table, rows);
      return Thing(*std::move(found));
    }
    case Kind::outbox: return made(decode_fields<OutboxRow>(bytes, number));
    case Kind::audit: return made(decode_audit(bytes, number));
    case Kind::audit_root: {
      auto root = decode_audit_root(bytes, number);
      if (!root) return unreadable_thing(table, rows);
      return Thing(transfer::Removed{AccountId(text_in(rows, 1)), *std::move(root)});
    }
    default: return unreadable_thing(table, rows);
  }
}

Outcome<Thing> ThingReader::policy(const ThingTable& table, const Rows& rows, int more) {
  uint64_t number = rows.natural(0);
  std::string_view bytes = rows.blob(more);
  auto made = [&](auto found) { return thing_or_damage(std::move(found), table, rows); };
  switch (table.kind) {
    case Kind::policy_document: return made(decode_fields<PolicyDocument>(bytes, number));
    case Kind::policy_version: return made(decode_fields<PolicyVersion>(bytes, number));
    case Kind::policy_decision: return made(decode_fields<job::PolicyDecision>(bytes, number));
    case Kind::pools: return made(decode_fields<StoredPools>(bytes, number));
    default: {
      auto effective = decode_fields<Value>(bytes, number);
      if (!effective) return unreadable_thing(table, rows);
      return Thing(transfer::PolicySnapshot{text_in(rows, 1), *std::move(effective)});
    }
  }
}

/// Of kinds whose row is all there is of them.
Outcome<Thing> ThingReader::plain(const ThingTable& table, const Rows& rows) {
  switch (table.kind) {
    case Kind::orphan:
      return Thing(transfer::Orphan{DefinitionHash(text_in(rows, 1)), rows.integer(2)});
    case Kind::wait_number:
      return Thing(
          transfer::WaitNumber{{text_in(rows, 1), AccountId(text_in(rows, 2)), rows.integer(3),
                                WorkflowId(text_in(rows, 4)), text_in(rows, 5)},
                               {rows.integer(6), rows.integer(7)}});
    case Kind::signal_effect: {
      auto entry = parse_json(rows.text(5));
      if (!entry) return unreadable_thing(table, rows);
      return Thing(SignalReached{{AccountId(text_in(rows, 1)), text_in(rows, 2)},
                                 reach_kind_of(rows.text(3)),
                                 text_in(rows, 4),
                                 *std::move(entry)});
    }
    case Kind::policy_revision: return Thing(transfer::PolicyRevision{rows.natural(2)});
    case Kind::policy_hit:
      return Thing(transfer::PolicyHit{
          AccountId(text_in(rows, 1)),
          {text_in(rows, 2), text_in(rows, 3), rows.natural(4), Instant{rows.integer(5)}}});
    case Kind::usage:
      return Thing(
          transfer::Usage{AccountId(text_in(rows, 1)),
                          {rows.integer(2), {rows.integer(3), rows.integer(4), rows.integer(5)}}});
    default:
      return Thing(
          transfer::Marked{RunId(text_in(rows, 1)), {text_in(rows, 2), Instant{rows.integer(3)}}});
  }
}

Outcome<Thing> ThingReader::run(uint64_t number) {
  FERMATA_TRY(found, runs_.by_number(number));
  if (!found) return damaged("run", number, "it is missing");
  FERMATA_TRY(history, runs_.history(*found, 1, SIZE_MAX));
  FERMATA_TRY(kept, runs_.checkpoints(*found, UINT64_MAX, SIZE_MAX >> 1));
  // One that is damaged can be made again from the history.
  std::erase_if(kept, [](const Checkpoint& one) { return one.bytes.empty(); });
  return Thing(transfer::WholeRun{
      {found->record.version, std::move(found->record.summary), std::move(history)},
      std::move(kept)});
}

Outcome<Thing> ThingReader::job(uint64_t number) {
  FERMATA_TRY(found, jobs_.by_number(number));
  if (!found) return damaged("job", number, "it is missing");
  FERMATA_TRY(history, jobs_.history(*found));
  FERMATA_TRY(held, held_.find(number));
  transfer::WholeJob whole{
      {found->record.version, std::move(found->record.summary), std::move(history)},
      std::move(held),
      {},
      {}};
  Rows blobs = blobs_.query(number);
  while (blobs.next()) whole.blobs.push_back(text_in(blobs, 0));
  if (blobs.failed()) return database_.failure("reading what a job refers to");
  Rows log = log_.query(number);
  while (log.next()) {
    transfer::LogPart part;
    part.number = log.natural(0);
    part.size = log.natural(2);
    part.chunk.job = whole.job.summary.id;
    part.chunk.attempt = static_cast<uint32_t>(log.natural(1));
    if (!decode_log(log.blob(3), part.number, part.chunk))
      return damaged("job_log", part.number, "its checksum does not match");
    whole.log.push_back(std::move(part));
  }
  if (log.failed()) return database_.failure("reading the log of a job");
  return Thing(std::move(whole));
}

Outcome<Thing> ThingReader::schedule(uint64_t number) {
  FERMATA_TRY(found, schedules_.by_number(number));
  if (!found) return damaged("schedule", number, "it is missing");
  FERMATA_TRY(history, schedules_.history(*found));
  ScheduleRecord& record = found->record;
  transfer::WholeSchedule whole{
      {record.version, std::move(record.summary), std::move(record.checkpoint), std::move(history)},
      record.history_from,
      std::nullopt};
  Rows rows = deleted_.query(number);
  if (rows.next()) whole.deleted_ms = rows.integer(0);
  if (rows.failed()) return database_.failure("reading a schedule");
  return Thing(std::move(whole));
}

Outcome<Thing> ThingReader::workflow(uint64_t number, std::string_view bytes) {
  auto record = decode_workflow(bytes, number);
  if (!record) return damaged("workflow", number, "its checksum does not match");
  transfer::Workflow whole{*std::move(record), {}};
  Rows rows = versions_.query(number);
  while (rows.next()) {
    auto version = decode_version(rows.blob(1), rows.natural(0));
    if (!version) return damaged("version", rows.natural(0), "its checksum does not match");
    whole.versions.push_back(*std::move(version));
  }
  if (rows.failed()) return database_.failure("reading the versions of a workflow");
  return Thing(std::move(whole));
}

Outcome<Thing> ThingReader::bulk(const std::string& id) {
  FERMATA_TRY(found, bulks_.find(id));
  if (!found) return fail(ErrorCode::data_damaged, "table bulk, row " + id + ": it cannot be read");
  FERMATA_TRY(items, bulks_.items(id, 0, SIZE_MAX >> 1));
  return Thing(transfer::Bulk{std::move(found->record), std::move(items)});
}

Outcome<Thing> ThingReader::blob(const Rows& rows) {
  transfer::Blob blob{AccountId(text_in(rows, 1)), text_in(rows, 2), rows.integer(3),
                      rows.integer(4) == 0, ""};
  FERMATA_TRY(bytes, files_.blob(blob.account, blob.sha256));
  if (!bytes)
    return fail(ErrorCode::data_damaged, "table blob, row " + blob.sha256 + ": it cannot be read");
  blob.bytes = *std::move(bytes);
  return Thing(std::move(blob));
}

}  // namespace fermata::sqlite
