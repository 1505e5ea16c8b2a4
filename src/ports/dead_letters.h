#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/job/effect.h"

namespace fermata {

/// How an entry of the dead letter queue was done with.
enum class Resolution : uint8_t { none, retried, discarded, released, run_handled, purged };
constexpr Resolution last_of(Resolution) { return Resolution::purged; }
std::string_view name_of(Resolution resolution);  ///< empty for `none`

/// An entry as the store keeps it: what the job's last commit said, and what became of it since.
struct DeadLetterEntry {
  static constexpr bool extensible = true;
  job::DeadLetter letter;
  Resolution resolution = Resolution::none;
  std::optional<Instant> resolved_at{};
  std::string resolved_by{};
  JobId retried_as{};
  bool open() const { return resolution == Resolution::none; }
  bool operator==(const DeadLetterEntry&) const = default;
  template <class V> void each(V&& v) {
    v("letter", letter);
    v("resolution", resolution);
    v("resolved_at", resolved_at);
    v("resolved_by", resolved_by);
    v("retried_as", retried_as);
  }
};

/// What the job's own commit makes of its open entry (J-51).
void settle_entry(DeadLetterEntry& entry, const job::SettleLetter& settle);

/// Which entries a list shows; empty fields do not filter.
struct DeadLetterFilter {
  AccountId account{};
  std::optional<bool> open = true;  ///< nothing: open and resolved ones
  std::string reason_code{};
  std::string topic{};  ///< full name, `*` for any characters
  std::optional<job::State> status{};
  JobId job{};
  RunId run{};
  std::optional<Instant> from{};  ///< opened at or after
  std::optional<Instant> to{};    ///< opened before
};
bool matches(const DeadLetterFilter& filter, const DeadLetterEntry& entry);

struct DeadLetterPage {
  std::vector<DeadLetterEntry> items;  ///< newest first
  std::string next_cursor;             ///< empty on the last page
};

/// The dead letter queue, beside the engine: entries are opened by the commits that end jobs
/// (store.h). Safe from several threads.
class DeadLetters {
 public:
  virtual ~DeadLetters() = default;
  virtual Outcome<std::optional<DeadLetterEntry>> dead_letter(const std::string& id) = 0;
  virtual Outcome<DeadLetterPage> dead_letters(const DeadLetterFilter& filter, size_t limit,
                                               const std::string& cursor) = 0;
  /// Open entries by reason code, of one account or (when empty) of all.
  virtual Outcome<std::vector<std::pair<std::string, uint64_t>>> count_dead_letters(
      const AccountId& account) = 0;

  struct Resolve {
    std::string id;
    Resolution resolution = Resolution::discarded;
    std::string by;
    Instant at;
    JobId retried_as{};
  };
  /// Fails with value_not_found, or wrong_state for one that is not open any more.
  virtual Outcome<DeadLetterEntry> resolve_dead_letter(const Resolve& resolve,
                                                       const AuditLine& audit) = 0;
};

}  // namespace fermata
