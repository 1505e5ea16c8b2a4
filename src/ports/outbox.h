#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"

namespace fermata {

struct DeadLetterEntry;

/// What another program is to be told, written in the commit of what it tells of (ADR 0055) and
/// removed when a broker has confirmed it.
struct OutboxRow {
  static constexpr bool extensible = true;
  RunId run;
  uint64_t sequence = 0;  ///< of the event it tells of; rows of a run are published in order
  std::string lane;       ///< which broker: `rabbit`
  std::string target;     ///< queue
  std::string id;         ///< the same whenever it is published again
  std::string body;
  bool last = false;  ///< only after all rows of its run before it are confirmed
  std::string traceparent{};
  uint64_t token = 0;  ///< that comes back with the message (C-60), or 0
  bool operator==(const OutboxRow&) const = default;
  template <class V>
  void each(V&& v) {
    v("run", run);
    v("sequence", sequence);
    v("lane", lane);
    v("target", target);
    v("id", id);
    v("body", body);
    v("last", last);
    v("traceparent", traceparent);
    v("token", token);
  }
};

/// That a message was taken, so that it is not taken again: written in the commit of what came of
/// it. Kept for `message_marks_ms`.
struct MessageMark {
  std::string id;  ///< of the message, or the hash of its body
  Instant at;
  bool operator==(const MessageMark&) const = default;
};
constexpr int64_t message_marks_ms = 7LL * 24 * 3'600'000;

/// What the store keeps for brokers beside runs. Safe from several threads.
class Outbox {
 public:
  virtual ~Outbox() = default;

  struct Entry {
    uint64_t number = 0;  ///< in the order of commits, and within one in the order of its rows
    OutboxRow row;
  };
  /// Rows of a lane after that number, oldest first. One that cannot be read is left out.
  virtual Outcome<std::vector<Entry>> outbox(const std::string& lane, uint64_t after,
                                             size_t limit) = 0;
  virtual Outcome<void> remove_from_outbox(std::span<const uint64_t> numbers) = 0;
  virtual Outcome<uint64_t> outbox_rows(const std::string& lane) = 0;

  /// Whether a commit of that run has taken the message.
  virtual Outcome<bool> is_marked(const RunId& run, const std::string& mark) = 0;
  virtual Outcome<void> forget_marks(Instant before) = 0;

  /// Opens an entry of the dead letter queue that belongs to no commit of a root: a message that
  /// could not be used. One that is there stays.
  virtual Outcome<void> bury(const DeadLetterEntry& entry) = 0;
};

}  // namespace fermata
