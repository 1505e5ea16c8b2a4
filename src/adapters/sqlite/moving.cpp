#include <sys/random.h>

#include <algorithm>

#include "adapters/sqlite/looking.h"
#include "adapters/sqlite/moving_things.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/store_parts.h"
#include "base/check.h"
#include "base/hash.h"

/// How everything in the store is handed to another one while it is in use. What changes is noted
/// by triggers of the writing connection alone: they are no part of the file, and gone with it.
namespace fermata {
namespace {

using sqlite::Database;
using sqlite::Rows;
using sqlite::Statement;
using sqlite::ThingTable;

constexpr size_t key_parts_max = 5;

/// Not by OR IGNORE: the way in which the outer statement handles conflicts would take its place.
std::string note_of(transfer::Kind kind, const std::vector<std::string>& values,
                    std::string_view from) {
  constexpr const char* names[key_parts_max] = {"a", "b", "c", "d", "e"};
  std::string number = std::to_string(static_cast<int>(kind));
  std::string cells = number, same = "m.kind = " + number;
  for (size_t i = 0; i < key_parts_max; ++i) {
    std::string value = i < values.size() ? values[i] : "''";
    cells += ", " + value;
    same += std::string(" AND m.") + names[i] + " = " + value;
  }
  std::string sql = "INSERT INTO moved_keys SELECT " + cells;
  if (!from.empty()) (sql += " FROM ") += from;
  return sql + (from.empty() ? " WHERE " : " AND ") +
         "NOT EXISTS (SELECT 1 FROM moved_keys m WHERE " + same + ");";
}

/// The three triggers of a table; `note` makes the statement for NEW or OLD.
template <class Note>
std::string triggers_of(const std::string& table, Note note) {
  std::string sql;
  for (const char* event : {"INSERT", "UPDATE", "DELETE"}) {
    std::string name = std::string("moved_") + event + "_" + table;
    sql += "CREATE TEMP TRIGGER " + name + " AFTER " + event + " ON main." + table + " BEGIN ";
    if (*event != 'I') sql += note("OLD.");
    if (*event != 'D') sql += note("NEW.");
    sql += " END;\n";
  }
  return sql;
}

/// Rows that are part of a thing which may stay as it is when they change.
struct PartTable {
  const char* table;
  transfer::Kind whole;
  std::vector<std::string> keys;  ///< columns of the whole
  const char* whole_table;
  const char* column;  ///< names the number of the whole
};
const std::vector<PartTable>& part_tables() {
  static const std::vector<PartTable> tables = {
      {"version", transfer::Kind::workflow, {"account", "id"}, "workflow", "workflow"},
      {"job_log", transfer::Kind::job, {"id"}, "job", "job"},
      {"job_blob", transfer::Kind::job, {"id"}, "job", "job"},
      {"held_output", transfer::Kind::job, {"id"}, "job", "job"},
      {"schedule_deleted", transfer::Kind::schedule, {"account", "id"}, "schedule", "schedule"}};
  return tables;
}

std::string all_triggers() {
  std::string sql =
      "CREATE TEMP TABLE moved_keys (kind INTEGER NOT NULL, a NOT NULL, b NOT NULL, c NOT NULL, "
      "d NOT NULL, e NOT NULL, PRIMARY KEY (kind, a, b, c, d, e)) WITHOUT ROWID;\n";
  for (const ThingTable& table : sqlite::thing_tables())
    sql += triggers_of(table.table, [&](const std::string& row) {
      std::vector<std::string> values;
      for (const char* key : table.keys) values.push_back(row + key);
      return note_of(table.kind, values, "");
    });
  for (const PartTable& part : part_tables())
    sql += triggers_of(part.table, [&](const std::string& row) {
      return note_of(part.whole, part.keys,
                     std::string(part.whole_table) + " WHERE number = " + row + part.column);
    });
  return sql;
}

std::string dropped_triggers() {
  std::string sql;
  auto drop = [&](const std::string& table) {
    for (const char* event : {"INSERT", "UPDATE", "DELETE"})
      sql += std::string("DROP TRIGGER IF EXISTS temp.moved_") + event + "_" + table + ";";
  };
  for (const ThingTable& table : sqlite::thing_tables()) drop(table.table);
  for (const PartTable& part : part_tables()) drop(part.table);
  return sql + "DROP TABLE IF EXISTS temp.moved_keys;";
}

/// What the file says of a move; nothing when none was ever begun.
struct Noted {
  std::string token;
  std::optional<std::string> place;
};
Outcome<std::optional<Noted>> noted_move(Database& database) {
  Statement question(database, "SELECT token, place IS NOT NULL, place FROM moved");
  Rows rows = question.query();
  std::optional<Noted> noted;
  if (rows.next()) {
    noted = Noted{std::string(rows.text(0)), std::nullopt};
    if (rows.integer(1) != 0) noted->place = std::string(rows.text(2));
  }
  if (rows.failed()) return database.failure("looking whether the store has moved");
  return noted;
}

class SqliteSource final : public transfer::Source {
 public:
  SqliteSource(sqlite::Writer& writer, sqlite::CatalogWriter& catalog, std::filesystem::path file)
      : writer_(writer), catalog_(catalog), file_(std::move(file)) {}
  ~SqliteSource() override {
    if (!held_.owns_lock()) held_ = writer_.hold();
    (void)writer_.database().run(dropped_triggers().c_str());
  }

  Outcome<std::string> token() override {
    std::string token;
    FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
      FERMATA_TRY(noted, noted_move(writer_.database()));
      if (noted) {
        token = noted->token;
        return {};
      }
      std::string random(16, '\0');
      check(getrandom(random.data(), random.size(), 0) == static_cast<ssize_t>(random.size()));
      token = hex(random);
      Statement put(writer_.database(), "INSERT INTO moved (token) VALUES (?)");
      if (!put.execute(token)) return writer_.database().failure("beginning to move");
      return {};
    }));
    return token;
  }

  Outcome<void> begin() override {
    FERMATA_TRY(opened, Database::open(file_, Database::Mode::read));
    looking_ = std::move(opened);
    things_ = std::make_unique<sqlite::ThingReader>(*looking_);
    auto lock = writer_.hold();
    Database& database = writer_.database();
    FERMATA_TRY_VOID(database.run(dropped_triggers().c_str()));
    FERMATA_TRY_VOID(database.run("PRAGMA temp_store = MEMORY"));
    FERMATA_TRY_VOID(database.run(all_triggers().c_str()));
    return look();
  }

  Outcome<void> all(const transfer::Take& take) override { return things_->all(take); }
  Outcome<void> some(std::span<const transfer::Key> keys, const transfer::Take& take) override {
    return things_->some(keys, take);
  }

  Outcome<std::vector<transfer::Key>> step() override {
    std::unique_lock<std::mutex> lock;
    if (!held_.owns_lock()) lock = writer_.hold();
    std::vector<transfer::Key> keys;
    {
      Statement all(writer_.database(), "SELECT kind, a, b, c, d, e FROM temp.moved_keys");
      Rows rows = all.query();
      while (rows.next()) {
        transfer::Key key{static_cast<transfer::Kind>(rows.integer(0)), {}};
        size_t parts = sqlite::thing_tables()[static_cast<size_t>(key.kind)].keys.size();
        for (size_t i = 0; i < parts; ++i)
          key.parts.emplace_back(rows.text(static_cast<int>(i) + 1));
        keys.push_back(std::move(key));
      }
      if (rows.failed()) return writer_.database().failure("reading what has changed");
    }
    FERMATA_TRY_VOID(writer_.database().run("DELETE FROM temp.moved_keys"));
    FERMATA_TRY_VOID(look());
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  /// Uses of keys that are only remembered so far are written first.
  void hold() override {
    catalog_.write_uses();
    held_ = writer_.hold();
  }
  void release() override { held_.unlock(); }

  Outcome<void> leave(const transfer::Moved& moved) override {
    check(held_.owns_lock());
    Database& database = writer_.database();
    FERMATA_TRY_VOID(database.run("BEGIN IMMEDIATE"));
    Statement put(database, "UPDATE moved SET place = ? WHERE token = ?");
    bool written = put.execute(moved.to, moved.token) && sqlite3_changes64(database.handle()) == 1;
    if (!written) {
      auto failure = database.failure("writing where the store has gone");
      (void)database.run("ROLLBACK");
      return failure;
    }
    // Whether it fails or not: only what the file says after the next start is known from here on.
    writer_.close();
    return database.run("COMMIT");
  }

 private:
  /// Sees the present from now on. Nobody may write meanwhile.
  Outcome<void> look() {
    if (looking_->in_transaction()) FERMATA_TRY_VOID(looking_->run("COMMIT"));
    FERMATA_TRY_VOID(looking_->run("BEGIN"));
    // A snapshot is taken by the first question.
    FERMATA_TRY(schema, looking_->number("SELECT max(number) FROM migration"));
    check(schema > 0);
    return {};
  }

  sqlite::Writer& writer_;
  sqlite::CatalogWriter& catalog_;
  const std::filesystem::path file_;
  std::unique_lock<std::mutex> held_;
  std::unique_ptr<Database> looking_;
  std::unique_ptr<sqlite::ThingReader> things_;
};

}  // namespace

std::unique_ptr<transfer::Source> SqliteStore::source() {
  return std::make_unique<SqliteSource>(parts_->writer, parts_->catalog,
                                        sqlite::database_file(parts_->directory));
}

Outcome<std::optional<transfer::Moved>> moved_sqlite(const std::filesystem::path& directory) {
  FERMATA_TRY(database, sqlite::open_to_look(directory));
  std::optional<transfer::Moved> moved;
  if (!sqlite::schema_has(*database, "moved")) return moved;
  FERMATA_TRY(noted, noted_move(*database));
  if (noted && noted->place) moved = transfer::Moved{noted->token, *noted->place};
  return moved;
}

}  // namespace fermata
