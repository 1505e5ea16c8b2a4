#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"

namespace fermata {

/// Bytes of an account by their hash.
struct BlobRef {
  std::string sha256;  ///< hex
  uint64_t bytes = 0;
  bool operator==(const BlobRef&) const = default;
};

/// What an attempt has said while it worked.
struct LogChunk {
  JobId job;
  uint32_t attempt = 0;
  Instant at;
  std::vector<std::string> lines;
  bool operator==(const LogChunk&) const = default;
};
struct LogPage {
  std::vector<LogChunk> items;  ///< oldest first
  std::string next_cursor;      ///< empty on the last page
};

/// What a scan reads and leaves. Safe from several threads.
class ScanFiles {
 public:
  virtual ~ScanFiles() = default;
  /// Keeps the bytes for the account, once however often they are put. What no job refers to is
  /// removed some time after `now` (retention.h).
  virtual Outcome<BlobRef> put_blob(const AccountId& account, std::string_view bytes,
                                    Instant now) = 0;
  /// Nothing when the account has no such blob. Fails with data_damaged when its bytes do not have
  /// their hash any more.
  virtual Outcome<std::optional<std::string>> blob(const AccountId& account,
                                                   const std::string& sha256) = 0;
  /// The output of the job that is held, as canonical JSON; nothing when none is.
  virtual Outcome<std::optional<std::string>> held_output(const JobId& job) = 0;
};

/// The large things of jobs, which stand beside their records: blobs (J-2), which no later write
/// replaces, outputs that are held, and the logs of attempts. Safe from several threads.
class JobFiles : public ScanFiles {
 public:
  virtual Outcome<uint64_t> count_held() = 0;
  virtual Outcome<std::optional<uint64_t>> blob_bytes(const AccountId& account,
                                                      const std::string& sha256) = 0;

  /// Adds lines to what an attempt has said. Those that would bring it over `bytes_max` are
  /// dropped; answers how many. Fails with job_not_found.
  virtual Outcome<size_t> append_log(const LogChunk& chunk, uint64_t bytes_max) = 0;
  virtual Outcome<LogPage> log(const JobId& job, size_t limit, const std::string& cursor) = 0;
};

}  // namespace fermata
