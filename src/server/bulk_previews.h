#pragma once
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/summary.h"
#include "ports/catalog.h"

namespace fermata::server {

/// What a dry run has shown, so that acting on it touches nothing else: the selection is frozen.
struct BulkPreview {
  AccountId account;
  std::string kind;
  std::string request_hash;  ///< of what was asked for
  std::string action;
  Value parameters;
  std::vector<std::string> items;
  Role least = Role::operator_;  ///< who may act on it
};

/// Keeps previews for a while, in memory: after a restart the dry run is repeated. Any thread.
class BulkPreviews {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit BulkPreviews(size_t items_max = 1'000'000,
                        std::chrono::seconds kept = std::chrono::minutes(15))
      : items_max_(items_max), kept_(kept) {}

  /// The oldest make room when too much is kept.
  void put(std::string token, BulkPreview preview, Time now);
  /// Gives it away: a token acts once. Nothing when it is unknown, too old or another account's.
  std::optional<BulkPreview> take(const std::string& token, const AccountId& account, Time now);
  std::chrono::seconds kept() const { return kept_; }

 private:
  struct Kept {
    std::string token;
    Time until;
    BulkPreview preview;
  };
  void make_room(size_t items, Time now);

  const size_t items_max_;
  const std::chrono::seconds kept_;
  std::mutex mutex_;
  std::list<Kept> kept_previews_;  ///< oldest first
  size_t items_ = 0;
};

}  // namespace fermata::server
