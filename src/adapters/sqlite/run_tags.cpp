#include "adapters/sqlite/run_tags.h"

#include "adapters/sqlite/records.h"

namespace fermata::sqlite {

std::vector<Tag> tags_of(const RunSummary& run) {
  std::vector<Tag> tags;
  if (run.labels.is_object()) {
    for (const Value::Member& label : run.labels.members()) {
      std::string_view key = label.key.as_string();
      tags.push_back({TagKind::label_key, key, {}});
      if (label.value.is_string()) tags.push_back({TagKind::label, key, label.value.as_string()});
    }
  }
  if (!run.contact_id.empty()) tags.push_back({TagKind::contact, run.contact_id, {}});
  if (!run.parent.empty()) tags.push_back({TagKind::parent, run.parent.text(), {}});
  return tags;
}

bool TagWriter::write(const RunSummary& run, uint64_t number) {
  for (const Tag& tag : tags_of(run)) {
    if (!insert_.execute(run.account.text(), static_cast<int64_t>(tag.kind), tag.key, tag.value,
                         number))
      return false;
  }
  return true;
}

bool TagWriter::remove(const RunSummary& run, uint64_t number) {
  for (const Tag& tag : tags_of(run)) {
    if (!delete_.execute(run.account.text(), static_cast<int64_t>(tag.kind), tag.key, tag.value,
                         number))
      return false;
  }
  return true;
}

Outcome<void> tag_all_runs(Database& database) {
  Statement all(database, "SELECT number, record FROM run ORDER BY number");
  TagWriter writer(database);
  Rows rows = all.query();
  while (rows.next()) {
    std::optional<RunRecord> record = decode_run(rows.blob(1), rows.natural(0));
    // A damaged run cannot be listed either way; verifying tells of it.
    if (record && !writer.write(record->summary, rows.natural(0)))
      return database.failure("tagging runs");
  }
  if (rows.failed()) return database.failure("tagging runs");
  return {};
}

}  // namespace fermata::sqlite
