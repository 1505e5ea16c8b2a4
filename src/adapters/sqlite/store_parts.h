#pragma once
#include "adapters/sqlite/account_rows.h"
#include "adapters/sqlite/bulk_rows.h"
#include "adapters/sqlite/catalog_writer.h"
#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/job_side_writer.h"
#include "adapters/sqlite/policy_rows.h"
#include "adapters/sqlite/pool_rows.h"
#include "adapters/sqlite/read_pool.h"
#include "adapters/sqlite/retention_writer.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/sqlite/view_rows.h"
#include "ports/commit_thread.h"

namespace fermata {

/// In the order in which they are made; the lock goes last.
struct SqliteStore::Parts {
  static constexpr size_t small_batch_roots = 4;

  Parts(std::filesystem::path path, sqlite::DirectoryLock taken,
        std::unique_ptr<sqlite::Database> writing, std::unique_ptr<sqlite::Database> checkpointing,
        SqliteOptions options)
      : directory(std::move(path)),
        lock(std::move(taken)),
        on_damage(std::move(options.on_damage)),
        checkpointer(std::move(checkpointing), options.checkpoint_pages),
        writer(std::move(writing), checkpointer,
               {std::move(options.on_failure), std::move(options.on_recovery), on_damage}),
        loading(sqlite::database_file(directory), 1),
        readers(sqlite::database_file(directory), options.readers_max) {}
  ~Parts() { catalog.write_uses(); }

  std::filesystem::path directory;
  sqlite::DirectoryLock lock;
  std::function<void(const Error&)> on_damage;
  sqlite::Checkpointer checkpointer;
  sqlite::Writer writer;
  sqlite::ReadPool loading;  ///< the partition's own, so that it waits for no reader
  sqlite::ReadPool readers;
  sqlite::CatalogWriter catalog{writer};
  sqlite::BulkWriter bulks{writer};
  sqlite::AccountWriter accounts{writer};
  sqlite::ViewWriter views{writer};
  sqlite::RetentionWriter retention{writer, readers};
  sqlite::JobSideWriter jobs{writer};
  sqlite::PolicyWriter policy{writer};
  sqlite::PoolWriter pools{writer};
  CommitThread committing{[this](const CommitBatch& batch) { return writer.commit(batch); },
                          small_batch_roots};
};

}  // namespace fermata
