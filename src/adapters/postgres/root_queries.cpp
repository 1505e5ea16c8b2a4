#include "adapters/postgres/root_queries.h"

#include <algorithm>
#include <map>

#include "adapters/postgres/rows.h"
#include "ports/record/record.h"

namespace fermata::postgres {
namespace {

constexpr size_t scan_batch_max = 1024;

FoundRoot root_of(const Rows& rows) {
  return {rows.natural(0), std::string(rows.text(1)), std::string(rows.blob(2))};
}

std::string kind_text(RootKind kind) { return std::to_string(static_cast<int>(kind)); }

/// A row (first, count, checksum, bytes) that begins with a column.
Outcome<HistoryChunk> chunk_of(const Rows& rows, int column, uint64_t salt, const FoundRoot& root) {
  HistoryChunk chunk{rows.natural(column), static_cast<uint32_t>(rows.integer(column + 1)),
                     std::string(rows.blob(column + 3))};
  if (chunk.count == 0 || record::history_checksum(salt, 0, chunk) != rows.natural(column + 2))
    return damaged_row(
        "history", root.id,
        "the checksum at sequence " + std::to_string(chunk.first_sequence) + " does not match");
  return chunk;
}

}  // namespace

Outcome<std::vector<FoundRoot>> find_roots(Connection& connection, RootKind kind,
                                           const Column& ids) {
  Arguments asked;
  asked.array(ids).integer(static_cast<int>(kind));
  FERMATA_TRY(rows, connection.ask("reading roots",
                                   "select r.number, r.id, r.record from unnest($1::text[]) w(id) "
                                   "join roots r on r.kind = $2 and r.id = w.id",
                                   asked));
  std::vector<FoundRoot> out;
  while (rows.next()) out.push_back(root_of(rows));
  return out;
}

Outcome<std::vector<FoundRoot>> open_roots(Connection& connection, RootKind kind, uint64_t after,
                                           size_t limit) {
  Arguments asked;
  asked.number(after).number(limit);
  FERMATA_TRY(rows,
              connection.ask("listing open roots",
                             "select number, id, record from roots where open and kind = " +
                                 kind_text(kind) + " and number > $1 order by number limit $2",
                             asked));
  std::vector<FoundRoot> out;
  while (rows.next()) out.push_back(root_of(rows));
  return out;
}

Outcome<void> drop_roots(Connection& connection, const Column& numbers) {
  Arguments gone;
  gone.array(numbers);
  FERMATA_TRY(dropped,
              connection.ask("removing roots",
                             "with h as (delete from history where root = any($1)), c as (delete "
                             "from checkpoints where root = any($1)), t as (delete from tags where "
                             "root = any($1)) delete from roots where number = any($1)",
                             gone));
  return {};
}

/// A commit may add to a history after its root was read: what lies behind the last sequence of the
/// root is left out.
Outcome<void> read_histories(Connection& connection, RootKind kind,
                             std::span<const WantedHistory> wanted) {
  std::map<uint64_t, const WantedHistory*> by_number;
  Column numbers(Type::number), firsts(Type::number), lasts(Type::number);
  for (const WantedHistory& one : wanted) {
    by_number[one.root->number] = &one;
    numbers.add(one.root->number);
    firsts.add(one.first_sequence);
    lasts.add(one.last_sequence);
  }
  if (by_number.empty()) return {};
  Arguments asked;
  asked.array(numbers).array(firsts).array(lasts);
  FERMATA_TRY(rows,
              connection.ask("reading history",
                             "select h.root, h.first, h.count, h.checksum, h.bytes from "
                             "unnest($1::bigint[], $2::bigint[], $3::bigint[]) w(root, first, "
                             "last) join history h on h.root = w.root and h.first <= w.last and "
                             "h.first >= coalesce((select max(p.first) from history p where p.root "
                             "= w.root and p.first <= w.first), w.first) order by h.root, h.first",
                             asked));
  while (rows.next()) {
    const WantedHistory& one = *by_number.at(rows.natural(0));
    // The chunk before the first one that is wanted may end before it.
    if (rows.natural(1) + rows.natural(2) <= one.first_sequence) continue;
    FERMATA_TRY(chunk, chunk_of(rows, 1, root_salt(kind, one.root->id), *one.root));
    one.out->push_back(std::move(chunk));
  }
  for (const WantedHistory& one : wanted) {
    uint64_t next = one.out->empty() ? one.first_sequence : one.out->front().first_sequence;
    bool right = !one.whole || next <= one.first_sequence;
    for (const HistoryChunk& chunk : *one.out) {
      right = right && chunk.first_sequence == next;
      next = chunk.first_sequence + chunk.count;
    }
    if (!right || next <= one.last_sequence)
      return damaged_row("history", one.root->id, "it has a gap");
  }
  return {};
}

Outcome<void> scan_roots(Connection& connection, const RootScan& scan, size_t limit, uint64_t place,
                         const std::function<Outcome<bool>(const FoundRoot&)>& visit) {
  place = std::min<uint64_t>(place, INT64_MAX);
  std::string sql = "select r.number, r.id, r.record from " + scan.from +
                    " where r.kind = " + kind_text(scan.kind) + " and r.number " +
                    (scan.upwards ? "> $1" : "< $1") + scan.conditions + " order by r.number " +
                    (scan.upwards ? "limit $2" : "desc limit $2");
  size_t batch = std::clamp<size_t>(std::min(limit, scan_batch_max) + 1, 16, scan_batch_max);
  for (;;) {
    Arguments asked;
    asked.number(place).number(batch);
    scan.arguments(asked);
    FERMATA_TRY(rows, connection.ask("listing roots", sql, asked));
    while (rows.next()) {
      FoundRoot root = root_of(rows);
      place = root.number;
      FERMATA_TRY(on, visit(root));
      if (!on) return {};
    }
    if (rows.count() < batch) return {};
    batch = std::min(batch * 2, scan_batch_max);
  }
}

Outcome<std::vector<std::pair<int, uint64_t>>> count_roots(Connection& connection, RootKind kind,
                                                           const AccountId& account) {
  std::string sql = "select status, count(*) from roots where kind = " + kind_text(kind);
  Arguments asked;
  if (!account.empty()) {
    sql += " and account = $1";
    asked.text(account.text());
  }
  FERMATA_TRY(rows,
              connection.ask("counting roots", sql + " group by status order by status", asked));
  std::vector<std::pair<int, uint64_t>> out;
  while (rows.next()) out.emplace_back(static_cast<int>(rows.integer(0)), rows.natural(1));
  return out;
}

Outcome<std::vector<HistoryChunk>> newest_history(Connection& connection, const schedule::Key& key,
                                                  uint64_t before, size_t events_max) {
  Column ids(Type::text);
  ids.add(root_id(key));
  FERMATA_TRY(found, find_roots(connection, RootKind::schedule, ids));
  std::vector<HistoryChunk> out;
  if (found.empty()) return out;
  uint64_t salt = root_salt(RootKind::schedule, found.front().id);
  size_t events = 0;
  Arguments asked;
  asked.number(found.front().number).number(std::min<uint64_t>(before, INT64_MAX));
  asked.number(static_cast<int64_t>(std::min<size_t>(events_max, INT32_MAX)));
  FERMATA_TRY(rows, connection.ask("reading the history of a schedule",
                                   "select first, count, checksum, bytes from history where root = "
                                   "$1 and first < $2 order by first desc limit $3",
                                   asked));
  while (events < events_max && rows.next()) {
    FERMATA_TRY(chunk, chunk_of(rows, 0, salt, found.front()));
    events += chunk.count;
    out.push_back(std::move(chunk));
  }
  return out;
}

}  // namespace fermata::postgres
