#pragma once
#include "adapters/postgres/identity.h"
#include "adapters/postgres/lead.h"
#include "adapters/postgres/neighbours.h"
#include "adapters/postgres/pool.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/postgres/upkeep.h"
#include "adapters/postgres/uses.h"
#include "adapters/postgres/writer.h"
#include "ports/commit_thread.h"

namespace fermata {

/// In the order in which they are made.
struct PostgresStore::Parts {
  explicit Parts(PostgresOptions given);
  ~Parts() { uses.write(writer); }

  PostgresOptions options;
  std::atomic<uint32_t> timeline = 0;  ///< of the server that was last connected to
  std::atomic<uint32_t> store_epoch = 0;
  std::string durability;
  postgres::Identity identity;
  postgres::Server server;
  postgres::Writer writer;
  postgres::Pool loading;  ///< the partition's own, so that it waits for no reader
  postgres::Pool readers;
  postgres::Uses uses;
  postgres::Neighbours neighbours;
  postgres::Lead lead;
  postgres::Upkeep upkeep;
  CommitThread committing;

  /// Another timeline is another server: what this process has read may be gone there.
  postgres::Server watched_server();

  /// Of the partition: after an outcome was unknown, first makes it known.
  template <class Ask>
  auto load(Ask ask) -> decltype(ask(std::declval<postgres::Connection&>())) {
    if (!writer.settled()) FERMATA_TRY_VOID(writer.settle());
    return loading.read(ask);
  }
};

}  // namespace fermata
