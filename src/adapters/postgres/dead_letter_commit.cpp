#include "adapters/postgres/asking.h"
#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/job_file_rows.h"
#include "ports/record/fields_record.h"

/// Entries of the dead letter queue that commits open, change and settle.
namespace fermata::postgres {
namespace {

class LetterColumns {
 public:
  /// `over`: one that is there is replaced, else it stays.
  void add(int64_t n, const DeadLetterEntry& entry, bool over) {
    const job::DeadLetter& letter = entry.letter;
    n_.add(n);
    over_.add(over);
    id_.add(letter.id);
    account_.add(letter.account.text());
    job_.add(letter.job.text());
    reason_.add(letter.reason_code);
    created_.add(letter.created_at.ms);
    open_.add(entry.open());
    resolution_.add(static_cast<int>(entry.resolution));
    add_or_none(resolved_at_, entry.resolved_at);
    resolved_by_.add(entry.resolved_by);
    retried_as_.add(entry.retried_as.text());
    record_.add(record::encode_fields(entry.letter, salt_of("dead_letters", letter.id)));
  }
  bool empty() const { return n_.empty(); }

  void write(CommitStatement& statement) const {
    std::string arrays = statement.array(n_);
    for (const Column* column :
         {&over_, &id_, &account_, &job_, &reason_, &created_, &open_, &resolution_, &resolved_at_,
          &resolved_by_, &retried_as_, &record_})
      arrays += ", " + statement.array(*column);
    statement.let("letter_want",
                  "select * from unnest(" + arrays +
                      ") with ordinality w(n, over, id, account, job, reason_code, created_at, "
                      "open, resolution, resolved_at, resolved_by, retried_as, record, place)");
    statement.then("letters_changed",
                   "update dead_letters d set open = w.open, resolution = w.resolution, "
                   "resolved_at = w.resolved_at, resolved_by = w.resolved_by, retried_as = "
                   "w.retried_as, record = w.record from letter_want w join won using (n) where "
                   "w.over and d.id = w.id");
    statement.then("letters_opened",
                   "insert into dead_letters (id, account, job, reason_code, created_at, open, "
                   "resolution, resolved_at, resolved_by, retried_as, record) select w.id, "
                   "w.account, w.job, w.reason_code, w.created_at, w.open, w.resolution, "
                   "w.resolved_at, w.resolved_by, w.retried_as, w.record from letter_want w join "
                   "won using (n) where not exists (select from dead_letters d where d.id = w.id) "
                   "order by w.place on conflict do nothing");
  }

 private:
  Column n_{Type::integer}, over_{Type::flag}, id_{Type::text}, account_{Type::text};
  Column job_{Type::text}, reason_{Type::text}, created_{Type::number}, open_{Type::flag};
  Column resolution_{Type::integer}, resolved_at_{Type::number}, resolved_by_{Type::text};
  Column retried_as_{Type::text}, record_{Type::bytes};
};

/// What becomes of the open entry of a job that its own commit settles (J-51).
void settle_letters(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), jobs(Type::text), resolutions(Type::integer), at(Type::number);
  Column by(Type::text);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].job || !writes[n].job->settled_letter) continue;
    DeadLetterEntry entry;
    settle_entry(entry, *writes[n].job->settled_letter);
    places.add(static_cast<int64_t>(n));
    jobs.add(writes[n].job->summary.id.text());
    resolutions.add(static_cast<int>(entry.resolution));
    add_or_none(at, entry.resolved_at);
    by.add(entry.resolved_by);
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&jobs, &resolutions, &at, &by})
    arrays += ", " + statement.array(*column);
  statement.then("letters_settled",
                 "update dead_letters d set open = false, resolution = w.resolution, resolved_at "
                 "= w.at, resolved_by = w.by from unnest(" +
                     arrays +
                     ") w(n, job, resolution, at, by) join won using (n) where d.job = w.job and "
                     "d.open");
}

}  // namespace

void add_dead_letters(CommitStatement& statement, Writes writes) {
  LetterColumns columns;
  for (size_t i = 0; i < writes.size(); ++i) {
    int64_t n = static_cast<int64_t>(i);
    if (const RunWrite* run = writes[i].run)
      for (const DeadLetterEntry& entry : run->dead_letters) columns.add(n, entry, true);
    if (const DeliveryWrite* delivery = writes[i].delivery)
      for (const DeadLetterEntry& entry : delivery->dead_letters) columns.add(n, entry, true);
    if (const JobWrite* job = writes[i].job)
      for (const DeadLetterEntry& entry : job->dead_letters) columns.add(n, entry, false);
  }
  if (!columns.empty()) columns.write(statement);
  settle_letters(statement, writes);
}

}  // namespace fermata::postgres
