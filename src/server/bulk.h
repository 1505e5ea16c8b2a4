#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ports/bulk.h"
#include "server/bulk_previews.h"

namespace fermata::server {

class Api;

/// What became of one thing of a selection. `busy` errors (a full queue, a store that cannot be
/// written) are tried again.
using BulkDone = std::function<void(const Outcome<void>&)>;

/// A kind of things that bulk operations act on. Everything else about them is common: previews,
/// progress, rate, stopping, going on after a restart.
struct BulkKind {
  std::string_view name;
  /// Acts on one thing; on a worker thread. `done` is called once, on any thread, or never when the
  /// server stops. `repeated` tells that it may have been acted on already, before a restart: what
  /// is so already counts as done.
  void (*act)(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
              BulkDone done);
};
/// Null for a kind this version does not know.
const BulkKind* bulk_kind(std::string_view name);

/// Carries out bulk operations in the background, a few things at a time, so that other requests
/// and runs get their turn in between. How far each has come is durable after every batch; after a
/// restart it goes on from there.
class BulkRunner {
 public:
  explicit BulkRunner(Api& api);
  ~BulkRunner();

  /// Takes up what was under way when the server last stopped.
  Outcome<void> recover();
  /// Stores it and begins. False when its id was taken.
  Outcome<bool> begin(const BulkRecord& record, const std::vector<std::string>& items,
                      const AuditLine& audit);
  /// Ends it after the batch under way; what has been done stays done. `stopped` is called once its
  /// end is durable, on a worker thread. False when it is not under way.
  using Stopped = std::function<void(const BulkRecord&)>;
  bool stop(const std::string& id, const AuditLine& audit, Stopped stopped);
  /// Has `ended` called once its end, by whatever, is durable, on a worker thread. False when it is
  /// not under way.
  bool on_end(const std::string& id, Stopped ended);
  BulkPreviews& previews() { return previews_; }

 private:
  struct Job;
  struct Batch;
  using JobRef = std::shared_ptr<Job>;
  void add(const BulkRecord& record);
  void start_some();
  bool asked_to_stop(const Job& job);
  void turn(const JobRef& job);
  void send(const JobRef& job, const std::shared_ptr<Batch>& batch);
  void answered(const JobRef& job, const std::shared_ptr<Batch>& batch);
  void write_progress(const JobRef& job, const std::shared_ptr<Batch>& batch);
  void finish(const JobRef& job, BulkState state);
  void tell(const BulkRecord& record);
  void later(const JobRef& job, std::chrono::milliseconds delay);

  Api& api_;
  BulkPreviews previews_;
  std::mutex mutex_;
  std::map<std::string, JobRef> jobs_;  ///< by id; under way or waiting for their turn
  std::vector<JobRef> waiting_;
  size_t running_ = 0;
};

}  // namespace fermata::server
