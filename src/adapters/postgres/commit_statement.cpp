#include "adapters/postgres/commit_statement.h"

namespace fermata::postgres {
namespace {

const char* array_of(Type type) {
  switch (type) {
    case Type::flag: return "::boolean[]";
    case Type::integer: return "::int[]";
    case Type::number: return "::bigint[]";
    case Type::text: return "::text[]";
    case Type::bytes: return "::bytea[]";
  }
  return "";
}

}  // namespace

uint32_t Write::group() const {
  if (run) return run->group;
  if (job) return job->group;
  if (schedule) return schedule->group;
  if (delivery) return delivery->group;
  return contact ? contact->group : 0;
}

std::span<const AuditLine> Write::lines() const {
  if (run) return run->audit;
  if (job) return job->audit;
  if (schedule) return schedule->audit;
  if (delivery) return delivery->audit;
  if (contact) return contact->audit;
  if (signal) return signal->audit;
  if (audit) return *audit;
  return {};
}

CommitStatement::CommitStatement(Writes writes, uint64_t epoch, std::string_view id) {
  arguments_.bytes(id).number(epoch);
  Column places(Type::integer), groups(Type::integer), sure(Type::flag);
  for (size_t n = 0; n < writes.size(); ++n) {
    places.add(static_cast<int64_t>(n));
    groups.add(writes[n].group());
    sure.add(writes[n].sure());
  }
  want_ = "select n, grp, sure from unnest(" + array(places);
  want_ += ", " + array(groups) + ", " + array(sure) + ") w(n, grp, sure)";
}

std::string CommitStatement::array(const Column& column) {
  arguments_.array(column);
  return "$" + std::to_string(arguments_.size()) + array_of(column.type());
}

void CommitStatement::let(const std::string& name, const std::string& sql) {
  before_ += ",\n" + name + " as materialized (" + sql + ")";
}

void CommitStatement::fit(const std::string& name, const std::string& sql) {
  let(name, sql);
  fits_ += " union all select n from " + name;
}

void CommitStatement::then(const std::string& name, const std::string& sql) {
  after_ += ",\n" + name + " as (" + sql + ")";
}

std::string CommitStatement::text() const {
  // Locked until the end: who raises the fence waits for us, and finds what we have written.
  return "with lead as materialized (select 1 from leases where name = 'lead' and fence = $2 for "
         "key share),\n"
         "want as materialized (" +
         want_ + ")" + before_ + ",\nfits as materialized (select n from want where sure" + fits_ +
         "),\nbroken as materialized (select distinct grp from want where grp <> 0 and n not in "
         "(select n from fits)),\n"
         "won as materialized (select n from want where n in (select n from fits) and grp not in "
         "(select grp from broken) and exists (select from lead)),\n"
         "mark as (insert into commits (id, won) select $1, coalesce(array_agg(n), '{}') from won "
         "having exists (select from lead))" +
         after_ + "\nselect n from won union all select -1 where not exists (select from lead)";
}

CommitStatement statement_of(Writes writes, uint64_t epoch, std::string_view id) {
  CommitStatement statement(writes, epoch, id);
  add_roots(statement, writes);
  add_deliveries(statement, writes);
  add_contacts(statement, writes);
  add_audit(statement, writes);
  add_waits(statement, writes);
  add_approvals(statement, writes);
  add_new_deliveries(statement, writes);
  add_signals(statement, writes);
  add_job_sides(statement, writes);
  add_dead_letters(statement, writes);
  add_outbox(statement, writes);
  add_roll(statement, writes);
  return statement;
}

}  // namespace fermata::postgres
