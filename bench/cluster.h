#pragma once
#include <memory>
#include <string>
#include <vector>

#include "adapters/postgres/postgres_store.h"
#include "bench/engine.h"

namespace fermata::bench {

/// Servers that are started for measuring, on private ports, and end with the program.
struct ClusterServers;
ClusterServers& cluster_servers();
std::string postgres_url();
std::string redis_url();
std::string rabbit_url();
/// Messages a second that the broker itself confirms, as large as statuses are.
double raw_broker_rate(size_t messages);
/// Members a second that Redis itself takes by ZADD, sixteen in a pipeline.
double raw_zadd_rate();

/// What stands beside PostgreSQL.
struct Beside {
  bool redis = false;   ///< timers in Redis
  bool rabbit = false;  ///< executions are told of by RabbitMQ
  std::string name() const;
};

/// A whole engine on an empty schema of PostgreSQL, as `fermata serve` wires it.
class ClusterEngine {
 public:
  explicit ClusterEngine(Beside beside);
  ~ClusterEngine();
  ClusterEngine(const ClusterEngine&) = delete;
  ClusterEngine& operator=(const ClusterEngine&) = delete;
  graph::DefinitionRef define(const std::string& json);
  Command start(const graph::DefinitionRef& definition);
  Host& host();
  Timers& timers();
  /// Keeps so many commands under way until `total` were answered; commands per second.
  double closed_loop(size_t outstanding, size_t total, const std::function<Command()>& make);
  const std::string& schema() const;
  /// Rows that wait for the broker.
  uint64_t outbox_rows();
  MeasuringFeed& feed();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Rows as they stand in every table of a schema, to be written once more without an engine.
class StraightRows {
 public:
  /// Those that were added since `begin` was called.
  static std::vector<std::pair<std::string, int64_t>> counts(const std::string& schema);
  StraightRows(const std::string& schema, const std::vector<std::pair<std::string, int64_t>>& since,
               size_t roots);
  /// Writes them by multi-row inserts, each table of `batch` roots in one statement and all of a
  /// batch in one transaction; roots a second.
  double rate(size_t batch);
  std::string tables() const;

 private:
  struct Table {
    std::string name;
    std::vector<std::string> rows;
  };
  std::vector<Table> tables_;
  const size_t roots_;
};

/// 1, or what FERMATA_BENCH_SCALE says: a small one only shows that everything works.
size_t scaled(size_t count);

// `./dev bench cluster`, one part each.
void measure_cluster_limits();
void measure_cluster_transitions();
void measure_cluster_runs();
void measure_cluster_timers();
void measure_cluster_jobs();
void measure_cluster_replicas();

}  // namespace fermata::bench
