#pragma once
#include "adapters/sqlite/database.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Registrations of workers, for a warm start (J-67).
class RegistrationRows {
 public:
  explicit RegistrationRows(Database& database) : database_(database) {}
  /// Within a transaction of the caller; false when the database failed.
  bool write(const RollWrite& roll);
  /// Those that cannot be read are told to `on_damage` and left out.
  Outcome<std::vector<fleet::RegistrationRecord>> all(
      const std::function<void(const Error&)>& on_damage);

 private:
  Database& database_;
  Statement put_{database_,
                 "INSERT INTO registration (id, record) VALUES (?, ?) "
                 "ON CONFLICT (id) DO UPDATE SET record = excluded.record"};
  Statement drop_{database_, "DELETE FROM registration WHERE id = ?"};
  Statement all_{database_, "SELECT number, id, record FROM registration ORDER BY number"};
};

}  // namespace fermata::sqlite
