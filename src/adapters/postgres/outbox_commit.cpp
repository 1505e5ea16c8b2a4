#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/rows.h"
#include "ports/record/fields_record.h"

/// What brokers are told of a commit, and marks of the messages that it came of.
namespace fermata::postgres {
namespace {

void write_outbox(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), lanes(Type::text), ids(Type::text), records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].run) continue;
    for (const OutboxRow& row : writes[n].run->outbox) {
      places.add(static_cast<int64_t>(n));
      lanes.add(row.lane);
      ids.add(row.id);
      records.add(record::encode_fields(row, salt_of("outbox", row.id)));
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&lanes, &ids, &records}) arrays += ", " + statement.array(*column);
  // Their numbers follow the order of the rows: one thread commits, so they follow commits too.
  statement.then(
      "outbox_written",
      "insert into outbox (lane, id, record) select w.lane, w.id, w.record from unnest(" + arrays +
          ") with ordinality w(n, lane, id, record, place) join won using (n) "
          "order by w.place");
}

void write_marks(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), runs(Type::text), marks(Type::text), at(Type::number);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].run) continue;
    for (const MessageMark& mark : writes[n].run->marks) {
      places.add(static_cast<int64_t>(n));
      runs.add(writes[n].run->summary.id.text());
      marks.add(mark.id);
      at.add(mark.at.ms);
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&runs, &marks, &at}) arrays += ", " + statement.array(*column);
  statement.then("marks_written",
                 "insert into message_marks (execution, mark, at) select w.execution, w.mark, w.at "
                 "from unnest(" +
                     arrays +
                     ") w(n, execution, mark, at) join won using (n) on conflict do nothing");
}

}  // namespace

void add_outbox(CommitStatement& statement, Writes writes) {
  write_outbox(statement, writes);
  write_marks(statement, writes);
}

}  // namespace fermata::postgres
