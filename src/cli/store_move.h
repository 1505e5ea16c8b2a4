#pragma once
#include <atomic>
#include <mutex>
#include <thread>

#include "cli/log.h"
#include "cli/settings.h"
#include "cli/world.h"
#include "host/promotion.h"

namespace fermata::cli {

/// The settings of a server whose store has moved: the same, with the other store. A sealing key
/// that lies in the data directory is named, for the other store has none.
Settings settings_after_move(const Settings& settings, const std::string& to,
                             const std::string& password_file);
/// Fails with invalid_setting for what is no address of PostgreSQL.
Outcome<void> check_move(const std::string& to);
PromotionSettings promotion_settings_of(const Settings& settings);
/// A clock that does not go back.
int64_t steady_ms();
Value report_value(const PromotionReport& report);

/// Moves the store of a running server on a thread of its own (C-105).
class StoreMove {
 public:
  /// `on_moved` is called when the store was left: nothing can be written to it any more. All must
  /// outlive it.
  StoreMove(World& world, const Settings& settings, OpenStore& store, Log& log,
            std::function<void()> on_moved);
  ~StoreMove();
  StoreMove(const StoreMove&) = delete;
  StoreMove& operator=(const StoreMove&) = delete;

  /// Breaks off a move that is under way, and begins no other.
  void stop();
  Outcome<Value> begin(const std::string& to, const std::string& password_file);
  Value state() const;
  /// Where the server goes on; nothing while it need not.
  std::optional<Settings> next() const;
  /// The store was left, and something failed after that.
  bool broken() const;

 private:
  void run(const std::string& to, const Settings& next);
  Outcome<PromotionReport> move(const std::string& to, const Settings& next);

  World& world_;
  const Settings& settings_;
  OpenStore& store_;
  Log& log_;
  const std::function<void()> on_moved_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  Value state_ = Value::object({{"state", "none"}});
  bool running_ = false;
  bool left_ = false;
  std::optional<Settings> next_;
  std::thread thread_;
};

}  // namespace fermata::cli
