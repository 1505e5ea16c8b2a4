#include "adapters/sqlite/pool_rows.h"

#include "adapters/sqlite/records.h"
#include "adapters/sqlite/writer.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

constexpr uint64_t the_document = 1;
/// Sums of earlier days are of no use; the last one stays for a clock that goes back a little.
constexpr int64_t days_kept = 1;

job::Usage usage_of(Rows& rows, int first) {
  return {rows.integer(first), rows.integer(first + 1), rows.integer(first + 2)};
}

}  // namespace

Outcome<StoredPools> PoolQueries::stored() {
  StoredPools pools;
  Rows rows = document_.query();
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading the pools");
    return pools;
  }
  auto stored = decode_fields<StoredPools>(rows.blob(0), the_document);
  if (!stored) return damaged("pool_document", the_document, "its checksum does not match");
  return *std::move(stored);
}

bool UsageRows::add(const AccountId& account, const DaySpent& spent) {
  job::Usage sum = spent.usage;
  {
    Rows rows = find_.query(account.text(), spent.day);
    if (rows.next()) sum = sum + usage_of(rows, 0);
    if (rows.failed()) return false;
  }
  return put_.execute(account.text(), spent.day, sum.input_tokens, sum.output_tokens,
                      sum.cost_micros) &&
         forget_.execute(account.text(), spent.day - days_kept);
}

Outcome<std::vector<AccountSpent>> UsageRows::on(int64_t day) {
  std::vector<AccountSpent> out;
  Rows rows = on_.query(day);
  while (rows.next()) out.push_back({AccountId(std::string(rows.text(0))), usage_of(rows, 1)});
  if (rows.failed()) return database_.failure("reading what accounts have spent");
  return out;
}

PoolWriter::PoolWriter(Writer& writer) : writer_(writer), database_(writer.database()) {}

Outcome<void> PoolWriter::change(const StoredPools& pools, const AuditLine& audit) {
  return writer_.transact(&audit, [&] { return apply(pools); });
}

Outcome<void> PoolWriter::apply(const StoredPools& pools) {
  FERMATA_TRY(stored, database_.number("SELECT max(revision) FROM pool_document"));
  if (static_cast<uint64_t>(stored) + 1 != pools.revision)
    return fail(ErrorCode::version_conflict, "pools are at revision " + std::to_string(stored));
  std::string record = encode_fields(pools, the_document);
  if (!put_.execute(pools.revision, Blob{record})) return database_.failure("writing the pools");
  return {};
}

}  // namespace fermata::sqlite
