#include "adapters/sqlite/held_rows.h"

#include "adapters/sqlite/records.h"

namespace fermata::sqlite {
namespace {

/// A page of the database has 4 KiB.
constexpr size_t filler_bytes = 4096;

}  // namespace

Wiping::Wiping(Database& database) : database_(database) {
  on_ = static_cast<bool>(database_.run("PRAGMA secure_delete = ON"));
}

Wiping::~Wiping() { (void)database_.run("PRAGMA secure_delete = OFF"); }

Outcome<std::optional<std::string>> HeldQueries::find(uint64_t job) {
  Rows rows = find_.query(job);
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a held output");
    return std::optional<std::string>{};
  }
  std::optional<std::string_view> record = unseal(rows.blob(0), job);
  if (!record || record->size() < filler_bytes)
    return damaged("held_output", job, "its checksum does not match");
  return std::optional(std::string(record->substr(filler_bytes)));
}

Outcome<uint64_t> HeldQueries::count() {
  Rows rows = count_.query();
  if (rows.next()) return rows.natural(0);
  return database_.failure("counting held outputs");
}

bool HeldRows::put(uint64_t job, std::string_view text) {
  Wiping wiping(database_);
  std::string record(filler_bytes, '\0');
  record.append(text);
  record = seal(std::move(record), job);
  return wiping.on() && put_.execute(job, Blob{record});
}

bool HeldRows::drop(uint64_t job) {
  {
    Rows rows = find_.query(job);
    if (!rows.next()) return !rows.failed();
  }
  Wiping wiping(database_);
  return wiping.on() && drop_.execute(job);
}

}  // namespace fermata::sqlite
