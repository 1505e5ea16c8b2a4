#pragma once
#include <functional>
#include <mutex>
#include <string>

#include "base/error.h"
#include "ports/zones.h"

namespace fermata {

struct TzdataOptions {
  /// Used whatever its release, when given: the setting `tzdata`.
  std::string directory;
  /// Used when its release is newer than the bundled one.
  std::string system_directory = "/usr/share/zoneinfo";
  int64_t check_interval_ms = 60'000;
  /// Told of files that cannot be read; on the thread that asked for zones.
  std::function<void(const std::string&)> on_problem = {};
};

/// Zone data of the machine or of the program itself, whichever is newer (W-48). Looks for changes
/// when it is asked for zones, at most once per interval; has no thread of its own.
class TzdataZones final : public ZoneSource {
 public:
  /// Fails with invalid_setting when `directory` is given and cannot be used.
  static Outcome<std::unique_ptr<TzdataZones>> open(TzdataOptions options);

  std::shared_ptr<const ZoneTable> zones(Instant now) override;
  /// `bundled`, or the directory that is in use.
  std::string origin() const;

 private:
  explicit TzdataZones(TzdataOptions options) : options_(std::move(options)) {}
  Outcome<void> load();
  void look_again();
  void complain(const std::string& problem);

  const TzdataOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ZoneTable> bundled_;
  std::shared_ptr<const ZoneTable> table_;
  std::string origin_;
  std::string fingerprint_;  ///< of the directory looked at last
  std::string last_problem_;
  Instant looked_at_{INT64_MIN};
};

}  // namespace fermata
