#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "adapters/postgres/postgres_store.h"
#include "test/postgres/postgres_server.h"

namespace fermata::test {

/// Several processes' stores over one schema of this test alone.
class SharedSchema : public testing::Test {
 protected:
  SharedSchema() {
    static int schemas = 0;
    schema_ = "shared_" + std::to_string(++schemas);
  }
  ~SharedSchema() override { database().run("drop schema if exists " + schema_ + " cascade"); }
  static PostgresServer& database() {
    static PostgresServer server;
    static bool started = server.start();
    EXPECT_TRUE(started) << server.log();
    return server;
  }
  PostgresOptions options(const std::string& holder, Duration lease = Duration{60'000}) const {
    PostgresOptions options;
    options.url = database().url();
    options.schema = schema_;
    options.holder = holder;
    options.reach_for = Duration{500};
    options.lease = lease;
    return options;
  }
  static std::unique_ptr<PostgresStore> open(PostgresOptions options) {
    auto opened = open_postgres(std::move(options));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::unique_ptr<PostgresStore> leading(const std::string& holder,
                                         Duration lease = Duration{60'000}) const {
    auto store = open(options(holder, lease));
    EXPECT_TRUE(leads(*store));
    return store;
  }
  static bool leads(PostgresStore& store) {
    auto taken = store.take_lead();
    return taken && *taken;
  }
  static bool soon(const std::function<bool()>& holds) {
    auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  /// Ends the session that holds the lock of the lead, as the death of its process would.
  void end_lock_session() const {
    EXPECT_EQ(database().number("select count(pg_terminate_backend(pid)) from pg_locks where " +
                                lock_of_lead()),
              1);
  }
  bool lock_is_held() const {
    return database().number("select count(*) from pg_locks where " + lock_of_lead()) == 1;
  }
  int64_t count(const std::string& table) const {
    return database().number("select count(*) from " + schema_ + "." + table);
  }

  static RunWrite start_of(const std::string& id) {
    RunWrite write;
    write.summary.id = RunId(id);
    write.summary.account = AccountId("acme");
    write.summary.workflow = WorkflowId("orders");
    write.summary.last_sequence = 1;
    write.events = {1, 1, "started " + id};
    return write;
  }
  static CommitOutcome commit(PostgresStore& store, RunWrite write) {
    CommitBatch batch;
    batch.runs.push_back(std::move(write));
    return store.commit(batch).at(0);
  }

  std::string schema_;

 private:
  std::string lock_of_lead() const {
    std::string key = "hashtextextended('fermata lead " + schema_ + "', 0)";
    return "locktype = 'advisory' and granted and classid = ((" + key +
           " >> 32) & 4294967295)::oid and objid = (" + key + " & 4294967295)::oid";
  }
};

}  // namespace fermata::test
