#include "ports/wait_tally.h"

#include <algorithm>

#include "ports/reader.h"

namespace fermata {
namespace {

int64_t minute_of(Instant at) { return at.ms / tally::minute_ms; }

/// Words that the engine itself has made: none of them has the sign that parts them.
std::string joined(std::string_view first, std::string_view second, std::string_view third = {}) {
  std::string text(first);
  ((text += '|') += second) += '|';
  return text += third;
}

struct Words {
  std::string first, second, third;
};

Words parted(const std::string& text) {
  size_t one = text.find('|');
  if (one == std::string::npos) return {text, "", ""};
  size_t two = text.find('|', one + 1);
  return {text.substr(0, one), text.substr(one + 1, two - one - 1),
          two == std::string::npos ? "" : text.substr(two + 1)};
}

class Adding {
 public:
  Adding(TallyChanges& changes, const WaitRecord& record, int sign)
      : changes_(changes), record_(record), sign_(sign) {}
  void operator()(const char* kind, int64_t slot, std::string key, int64_t waits = 1,
                  int64_t waited_ms = 0) {
    TallyChange& change = changes_[{kind, record_.account, slot, record_.workflow, std::move(key)}];
    change.waits += sign_ * waits;
    change.waited_ms += sign_ * waited_ms;
  }

 private:
  TallyChanges& changes_;
  const WaitRecord& record_;
  const int sign_;
};

}  // namespace

void tally_wait(TallyChanges& changes, const WaitRecord& record, int sign) {
  const Wait& wait = record.wait;
  if (!is_pending(wait.status)) return;
  Adding add(changes, record, sign);
  add(tally::pending, 0, joined(wait.type, name_of(wait.source), wait.hold));
  if (wait.due && wait.hold.empty()) add(tally::due, wait.due->ms / wait_slot_length.ms, wait.type);
  if (counts_in_limit(wait)) add(tally::counted, 0, "");
  int64_t active = 0;
  for (const Listener& listener : wait.listeners) {
    if (listener.status != ListenerStatus::active) continue;
    ++active;
    add(tally::listening, 0, listener.event_type);
  }
  if (active > 0) add(tally::oldest, minute_of(wait.reached_at), "", active);
}

void tally_happened(TallyChanges& changes, const std::optional<WaitRecord>& before,
                    const WaitRecord& after) {
  const Wait& wait = after.wait;
  Adding add(changes, after, 1);
  if (!before) {
    std::string kind = joined(wait.type, name_of(wait.source));
    add(tally::opened, minute_of(wait.reached_at), kind);
    add(tally::total, 0, std::move(kind));
  }
  bool ended = !is_pending(wait.status) && (!before || is_pending(before->wait.status));
  if (!ended) return;
  int64_t waited = wait.ended_at ? std::max<int64_t>(0, (*wait.ended_at - wait.reached_at).ms) : 0;
  add(tally::ended, 0, joined(wait.type, name_of(wait.status), wait.resumed_by), 1, waited);
}

void add_to(WaitTally& total, const TallyKey& key, const TallyChange& count, Instant now) {
  if (count.waits <= 0) return;
  auto waits = static_cast<uint64_t>(count.waits);
  if (key.kind == tally::pending) {
    auto [type, source, hold] = parted(key.key);
    WaitTally::Pending one{type, wait_source_of(source).value_or(WaitSource::graph), hold, 0};
    auto same = [&](const WaitTally::Pending& other) {
      return other.type == one.type && other.source == one.source && other.hold == one.hold;
    };
    auto found = std::find_if(total.pending.begin(), total.pending.end(), same);
    if (found == total.pending.end()) found = total.pending.insert(found, one);
    found->waits += waits;
  } else if (key.kind == tally::ended) {
    auto [type, status, by] = parted(key.key);
    WaitTally::Ended one{type, wait_status_of(status).value_or(WaitStatus::resumed), by, 0, 0};
    auto same = [&](const WaitTally::Ended& other) {
      return other.type == one.type && other.status == one.status &&
             other.resumed_by == one.resumed_by;
    };
    auto found = std::find_if(total.ended.begin(), total.ended.end(), same);
    if (found == total.ended.end()) found = total.ended.insert(found, one);
    found->waits += waits;
    found->waited_ms += count.waited_ms;
  } else if (key.kind == tally::opened) {
    int64_t age = minute_of(now) - key.slot;
    if (age < 60) total.opened_last_hour += waits;
    if (age < 24 * 60) total.opened_last_day += waits;
  } else if (key.kind == tally::total) {
    auto [type, source, rest] = parted(key.key);
    WaitTally::Opened one{type, wait_source_of(source).value_or(WaitSource::graph), 0};
    auto same = [&](const WaitTally::Opened& other) {
      return other.type == one.type && other.source == one.source;
    };
    auto found = std::find_if(total.opened.begin(), total.opened.end(), same);
    if (found == total.opened.end()) found = total.opened.insert(found, one);
    found->waits += waits;
  } else if (key.kind == tally::listening) {
    total.listeners[key.key] += waits;
  } else if (key.kind == tally::oldest) {
    Instant at{key.slot * tally::minute_ms};
    if (!total.oldest_listener || at < *total.oldest_listener) total.oldest_listener = at;
  }
}

}  // namespace fermata
