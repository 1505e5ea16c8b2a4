#include <map>

#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/rows.h"
#include "ports/cursor.h"
#include "ports/record/record.h"
#include "ports/record/schedule_record.h"

namespace fermata::postgres {
namespace {

Outcome<record::ScheduleRecord> schedule_record_of(const FoundRoot& root) {
  auto decoded = record::decode_schedule(root.record, root_salt(RootKind::schedule, root.id));
  if (!decoded) return damaged_row("roots", root.id, "its checksum does not match");
  if (root_id(decoded->summary.key()) != root.id)
    return damaged_row("roots", root.id, "its columns do not match its record");
  return *std::move(decoded);
}

/// Only the newest is kept.
Outcome<std::map<uint64_t, Checkpoint>> checkpoints_of(Connection& connection,
                                                       const std::vector<FoundRoot>& roots) {
  Column numbers(Type::number);
  std::map<uint64_t, const FoundRoot*> by_number;
  for (const FoundRoot& root : roots) {
    numbers.add(root.number);
    by_number[root.number] = &root;
  }
  Arguments asked;
  asked.array(numbers);
  FERMATA_TRY(rows, connection.ask("reading the state of schedules",
                                   "select c.root, c.sequence, c.checksum, c.bytes from "
                                   "unnest($1::bigint[]) w(root) join checkpoints c on c.root = "
                                   "w.root",
                                   asked));
  std::map<uint64_t, Checkpoint> out;
  while (rows.next()) {
    const FoundRoot& root = *by_number.at(rows.natural(0));
    Checkpoint one{rows.natural(1), std::string(rows.blob(3))};
    if (record::checkpoint_checksum(root_salt(RootKind::schedule, root.id), one) != rows.natural(2))
      return damaged_row("checkpoints", root.id, "its checksum does not match");
    out[root.number] = std::move(one);
  }
  return out;
}

}  // namespace

Outcome<std::vector<StoredSchedule>> load_schedules(Connection& connection,
                                                    std::span<const schedule::Key> keys) {
  std::vector<StoredSchedule> out(keys.size());
  Column ids(Type::text);
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string id = root_id(keys[i]);
    ids.add(id);
    places.emplace(std::move(id), i);
  }
  FERMATA_TRY(roots, find_roots(connection, RootKind::schedule, ids));
  FERMATA_TRY(checkpoints, checkpoints_of(connection, roots));
  std::vector<WantedHistory> wanted;
  for (const FoundRoot& root : roots) {
    StoredSchedule& schedule = out[places.at(root.id)];
    FERMATA_TRY(record, schedule_record_of(root));
    schedule.version = record.version;
    schedule.summary = std::move(record.summary);
    auto kept = checkpoints.find(root.number);
    bool of_the_past =
        kept != checkpoints.end() && kept->second.sequence <= schedule.summary.last_sequence;
    if (of_the_past) schedule.checkpoint = kept->second;
    uint64_t covered = of_the_past ? kept->second.sequence : 0;
    wanted.push_back(
        {&root, covered + 1, schedule.summary.last_sequence, of_the_past, &schedule.history});
  }
  FERMATA_TRY_VOID(read_histories(connection, RootKind::schedule, wanted));
  return out;
}

Outcome<SchedulePage> list_schedules(Connection& connection, const ScheduleFilter& filter,
                                     size_t limit, uint64_t before) {
  RootScan scan;
  scan.kind = RootKind::schedule;
  if (!filter.account.empty()) scan.conditions = " and r.account = $3";
  scan.arguments = [&](Arguments& arguments) {
    if (!filter.account.empty()) arguments.text(filter.account.text());
  };
  SchedulePage page;
  uint64_t last = 0;
  auto visit = [&](const FoundRoot& root) -> Outcome<bool> {
    FERMATA_TRY(record, schedule_record_of(root));
    if (!matches(filter, record.summary)) return true;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return false;
    }
    page.items.push_back(std::move(record.summary));
    last = root.number;
    return true;
  };
  FERMATA_TRY_VOID(scan_roots(connection, scan, limit, before, visit));
  return page;
}

Outcome<Store::OpenSchedulesPage> open_schedules(Connection& connection, uint64_t after,
                                                 size_t limit) {
  FERMATA_TRY(roots, open_roots(connection, RootKind::schedule, after, limit));
  Store::OpenSchedulesPage page;
  page.cursor = roots.empty() ? after : roots.back().number;
  page.more = roots.size() >= limit;
  for (const FoundRoot& root : roots) {
    FERMATA_TRY(record, schedule_record_of(root));
    if (record.summary.next_due) page.schedules.push_back(std::move(record.summary));
  }
  return page;
}

}  // namespace fermata::postgres
