#include "adapters/postgres/root_rows.h"

#include <algorithm>

#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/rows.h"
#include "base/check.h"
#include "base/hash.h"
#include "ports/record/job_record.h"
#include "ports/record/record.h"
#include "ports/record/schedule_record.h"

namespace fermata::postgres {
namespace {

/// The row of a root as a write leaves it.
struct RootRow {
  RootKind kind = RootKind::run;
  std::string id;
  uint64_t expected = 0;
  const AccountId* account = nullptr;
  const WorkflowId* workflow = nullptr;
  std::string_view parent{};
  int status = 0;
  bool open = false;
  int64_t started_at = 0;
  std::string record{};
  const HistoryChunk* events = nullptr;
  const std::optional<Checkpoint>* checkpoint = nullptr;
  uint32_t checkpoints_kept = 1;
  uint64_t history_from = 0;
};

RootRow row_of(const RunWrite& write) {
  const RunSummary& run = write.summary;
  uint64_t salt = root_salt(RootKind::run, run.id.text());
  return {.kind = RootKind::run,
          .id = run.id.text(),
          .expected = write.expected_version,
          .account = &run.account,
          .workflow = &run.workflow,
          .status = static_cast<int>(run.status),
          .open = !is_terminal(run.status),
          .started_at = run.started_at.ms,
          .record = record::encode_run(write.expected_version + 1, 0, run, salt),
          .events = &write.events,
          .checkpoint = &write.checkpoint,
          .checkpoints_kept = write.checkpoints_kept};
}

RootRow row_of(const JobWrite& write) {
  const job::Summary& job = write.summary;
  uint64_t salt = root_salt(RootKind::job, job.id.text());
  return {.kind = RootKind::job,
          .id = job.id.text(),
          .expected = write.expected_version,
          .account = &job.account,
          .workflow = &job.workflow,
          .parent = job.run.text(),
          .status = static_cast<int>(job.state),
          .open = !is_terminal(job.state) || job.next_due,
          .started_at = job.submitted_at.ms,
          .record = record::encode_job(write.expected_version + 1, 0, job, salt),
          .events = &write.events};
}

RootRow row_of(const ScheduleWrite& write) {
  const schedule::ScheduleSummary& schedule = write.summary;
  std::string id = root_id(schedule.key());
  uint64_t salt = root_salt(RootKind::schedule, id);
  return {.kind = RootKind::schedule,
          .id = std::move(id),
          .expected = write.expected_version,
          .account = &schedule.account,
          .workflow = &schedule.workflow,
          .status = static_cast<int>(schedule.status),
          .open = schedule.status == schedule::Status::active,
          .record = record::encode_schedule(
              {write.expected_version + 1, write.history_from, std::nullopt, schedule}, salt),
          .events = &write.events,
          .checkpoint = &write.checkpoint,
          .history_from = write.checkpoint ? write.history_from : 0};
}

/// The arrays of a statement's roots and of what goes with them.
class RootColumns {
 public:
  void add(int64_t n, const RootRow& row) {
    bool born = row.expected == 0;
    check(!born || row.events->count == 0 || row.events->first_sequence == 1);
    n_.add(n);
    kind_.add(static_cast<int>(row.kind));
    id_.add(row.id);
    expected_.add(row.expected);
    account_.add(row.account->text());
    workflow_.add(row.workflow->text());
    parent_.add(row.parent);
    shard_.add(static_cast<int>(sha256(row.id)[0]));
    status_.add(row.status);
    open_.add(row.open);
    started_.add(row.started_at);
    record_.add(row.record);
    uint64_t salt = root_salt(row.kind, row.id);
    if (row.events->count > 0) add_history(n, *row.events, salt);
    if (row.checkpoint && *row.checkpoint) add_checkpoint(n, row, salt);
    if (row.history_from > 1) {
      from_n_.add(n);
      from_.add(row.history_from);
    }
  }
  void add_tags(int64_t n, const RunSummary& run) {
    for (int64_t tag : tags_of(run)) {
      tag_n_.add(n);
      tag_.add(tag);
    }
  }

  void write(CommitStatement& statement) const {
    if (n_.empty()) return;
    write_roots(statement);
    write_history(statement);
    write_checkpoints(statement);
    if (!tag_n_.empty()) {
      statement.then("new_tags", "insert into tags select c.tag, f.number from unnest(" +
                                     statement.array(tag_n_) + ", " + statement.array(tag_) +
                                     ") c(n, tag) join won using (n) join root_rows f using (n) "
                                     "on conflict do nothing");
    }
  }

 private:
  void add_history(int64_t n, const HistoryChunk& chunk, uint64_t salt) {
    history_n_.add(n);
    first_.add(chunk.first_sequence);
    count_.add(chunk.count);
    history_sum_.add(record::history_checksum(salt, 0, chunk));
    history_bytes_.add(chunk.bytes);
  }
  void add_checkpoint(int64_t n, const RootRow& row, uint64_t salt) {
    const Checkpoint& kept = **row.checkpoint;
    checkpoint_n_.add(n);
    sequence_.add(kept.sequence);
    kept_.add(int64_t{std::max<uint32_t>(row.checkpoints_kept, 1)});
    checkpoint_sum_.add(record::checkpoint_checksum(salt, kept));
    checkpoint_bytes_.add(kept.bytes);
  }

  /// Rows that are there are locked in the order of their ids, so that batches do not deadlock. One
  /// that another batch creates meanwhile is met by the unique index: the statement fails, and sees
  /// it when it is tried again.
  void write_roots(CommitStatement& statement) const {
    std::string arrays;
    for (const Column* column : {&n_, &kind_, &id_, &expected_, &account_, &workflow_, &parent_,
                                 &shard_, &status_, &open_, &started_, &record_})
      arrays += (arrays.empty() ? "" : ", ") + statement.array(*column);
    statement.let("root_want",
                  "select * from unnest(" + arrays +
                      ") w(n, kind, id, expected, account, workflow, parent, shard, status, open, "
                      "started_at, record)");
    statement.let("root_held",
                  "select r.number, r.kind, r.id, r.version from roots r join root_want w on "
                  "r.kind = w.kind and r.id = w.id order by r.kind, r.id for update of r");
    statement.fit("root_rows",
                  "select n, coalesce(number, nextval('root_numbers')) as number from (select w.n, "
                  "h.number from root_want w left join root_held h on h.kind = w.kind and h.id = "
                  "w.id where (w.expected = 0 and h.id is null) or h.version = w.expected order by "
                  "w.n) fitting");
    statement.then("moved",
                   "update roots r set version = w.expected + 1, status = w.status, open = w.open, "
                   "record = w.record, updated_at = now() from root_want w join won using (n) join "
                   "root_rows f using (n) where w.expected > 0 and r.number = f.number");
    statement.then("born",
                   "insert into roots (number, kind, id, account, workflow, parent, shard, "
                   "version, status, open, started_at, record) select f.number, w.kind, w.id, "
                   "w.account, w.workflow, w.parent, w.shard, 1, w.status, w.open, w.started_at, "
                   "w.record from root_want w join won using (n) join root_rows f using (n) where "
                   "w.expected = 0 order by w.kind, w.id");
  }

  void write_history(CommitStatement& statement) const {
    if (!history_n_.empty()) {
      std::string arrays = statement.array(history_n_);
      for (const Column* column : {&first_, &count_, &history_sum_, &history_bytes_})
        arrays += ", " + statement.array(*column);
      statement.then("new_history",
                     "insert into history select f.number, c.first, c.count, c.checksum, c.bytes "
                     "from unnest(" +
                         arrays +
                         ") c(n, first, count, checksum, bytes) join won using (n) join root_rows "
                         "f using (n)");
    }
    if (!from_n_.empty()) {
      statement.then("old_history",
                     "delete from history h using unnest(" + statement.array(from_n_) + ", " +
                         statement.array(from_) +
                         ") c(n, since) join won using (n) join root_rows f using (n) where h.root "
                         "= f.number and h.first < c.since and h.first + h.count <= c.since");
    }
  }

  /// The one that is written is not seen by what lets the older ones go: it counts as kept.
  void write_checkpoints(CommitStatement& statement) const {
    if (checkpoint_n_.empty()) return;
    std::string arrays = statement.array(checkpoint_n_);
    for (const Column* column : {&sequence_, &kept_, &checkpoint_sum_, &checkpoint_bytes_})
      arrays += ", " + statement.array(*column);
    statement.let("checkpoint_want",
                  "select * from unnest(" + arrays + ") c(n, sequence, kept, checksum, bytes)");
    statement.then("new_checkpoints",
                   "insert into checkpoints select f.number, c.sequence, c.checksum, c.bytes from "
                   "checkpoint_want c join won using (n) join root_rows f using (n) on conflict "
                   "(root, sequence) do update set checksum = excluded.checksum, bytes = "
                   "excluded.bytes");
    statement.then(
        "old_checkpoints",
        "delete from checkpoints k using checkpoint_want c join won using (n) join "
        "root_rows f using (n) where k.root = f.number and k.sequence < c.sequence and "
        "k.sequence <= (select o.sequence from checkpoints o where o.root = f.number "
        "and o.sequence < c.sequence order by o.sequence desc limit 1 offset c.kept - 1)");
  }

  Column n_{Type::integer}, kind_{Type::integer}, id_{Type::text}, expected_{Type::number};
  Column account_{Type::text}, workflow_{Type::text}, parent_{Type::text}, shard_{Type::integer};
  Column status_{Type::integer}, open_{Type::flag}, started_{Type::number}, record_{Type::bytes};
  Column history_n_{Type::integer}, first_{Type::number}, count_{Type::integer};
  Column history_sum_{Type::number}, history_bytes_{Type::bytes};
  Column checkpoint_n_{Type::integer}, sequence_{Type::number}, kept_{Type::number};
  Column checkpoint_sum_{Type::number}, checkpoint_bytes_{Type::bytes};
  Column from_n_{Type::integer}, from_{Type::number};
  Column tag_n_{Type::integer}, tag_{Type::number};
};

}  // namespace

std::string root_id(const schedule::Key& key) { return key.account.text() + "\n" + key.id.text(); }

uint64_t root_salt(RootKind kind, const std::string& id) {
  return salt_of(kind == RootKind::run ? "run" : kind == RootKind::job ? "job" : "schedule", id);
}

int64_t tag_of(const AccountId& account, TagKind kind, std::string_view key,
               std::string_view value) {
  std::string text = account.text() + "\n" + std::to_string(static_cast<int>(kind)) + "\n" +
                     std::to_string(key.size()) + "\n";
  text.append(key).append(value);
  return static_cast<int64_t>(salt_of("tag", text));
}

std::vector<int64_t> tags_of(const RunSummary& run) {
  std::vector<int64_t> tags;
  if (run.labels.is_object()) {
    for (const Value::Member& label : run.labels.members()) {
      std::string_view key = label.key.as_string();
      tags.push_back(tag_of(run.account, TagKind::label_key, key));
      if (label.value.is_string())
        tags.push_back(tag_of(run.account, TagKind::label, key, label.value.as_string()));
    }
  }
  if (!run.contact_id.empty())
    tags.push_back(tag_of(run.account, TagKind::contact, run.contact_id));
  if (!run.parent.empty()) tags.push_back(tag_of(run.account, TagKind::parent, run.parent.text()));
  return tags;
}

void add_roots(CommitStatement& statement, Writes writes) {
  RootColumns columns;
  for (size_t i = 0; i < writes.size(); ++i) {
    int64_t n = static_cast<int64_t>(i);
    if (const RunWrite* run = writes[i].run) {
      columns.add(n, row_of(*run));
      if (run->expected_version == 0) columns.add_tags(n, run->summary);
    }
    if (writes[i].job) columns.add(n, row_of(*writes[i].job));
    if (writes[i].schedule) columns.add(n, row_of(*writes[i].schedule));
  }
  columns.write(statement);
}

}  // namespace fermata::postgres
