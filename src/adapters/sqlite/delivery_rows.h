#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes deliveries within a transaction of the caller.
class DeliveryWriter {
 public:
  explicit DeliveryWriter(Database& database) : database_(database) {}
  Outcome<void> start();
  /// One that is there already stays as it is; false on failure.
  bool create(const Delivery& delivery);
  /// Nothing when the database failed.
  std::optional<CommitOutcome> test(const DeliveryWrite& write);
  std::optional<CommitOutcome> write(const DeliveryWrite& write);
  /// Those of a run that are done with.
  bool forget(const RunId& run) { return forget_.execute(run.text()); }

 private:
  struct Row {
    uint64_t number = 0;
    std::optional<Delivery> delivery;
  };
  std::optional<Row> find(const std::string& id);

  Database& database_;
  Statement insert_{database_,
                    "INSERT INTO callback_delivery VALUES (?, ?, ?, ?, ?, ?) "
                    "ON CONFLICT (id) DO NOTHING"};
  Statement find_{database_, "SELECT number, record FROM callback_delivery WHERE id = ?"};
  Statement update_{database_,
                    "UPDATE callback_delivery SET state = ?, record = ? WHERE number = ?"};
  Statement forget_{database_, "DELETE FROM callback_delivery WHERE execution = ? AND state <> 0"};
  uint64_t next_ = 1;
};

/// What is asked of deliveries, over one connection.
class DeliveryQueries {
 public:
  explicit DeliveryQueries(Database& database) : database_(database) {}
  Outcome<std::optional<Delivery>> find(const std::string& id);
  Outcome<std::vector<Delivery>> load(std::span<const std::string> ids);
  Outcome<PendingDeliveryPage> pending(uint64_t after, size_t limit);
  Outcome<DeliveryPage> list(const DeliveryFilter& filter, size_t limit, uint64_t before);

 private:
  Database& database_;
};

}  // namespace fermata::sqlite
