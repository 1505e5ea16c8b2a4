#include "adapters/postgres/audit_rows.h"

#include "adapters/postgres/commit_statement.h"
#include "ports/record/record.h"

namespace fermata::postgres {

/// Lines come unchained, in the order of the batch: the chain must not make commits wait for each
/// other (C-23).
void add_audit(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), lines(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    for (const AuditLine& line : writes[n].lines()) {
      places.add(static_cast<int64_t>(n));
      lines.add(record::encode_line(line, 0));
    }
  }
  if (places.empty()) return;
  std::string rows = "unnest(" + statement.array(places) + ", " + statement.array(lines) + ")";
  statement.then("audit_lines",
                 "insert into audit_tail (line) select c.line from " + rows +
                     " with ordinality c(n, line, place) join won using (n) order by c.place");
}

}  // namespace fermata::postgres
