#pragma once
#include "front/rune/options.h"
#include "ports/announcer.h"

namespace fermata::rune {

/// Tells of runs in the words of Rune (C-55, C-61, C-62): a start, the statuses of nodes, one
/// completion. Everything it says is taken from events, which hold no secret (C-59).
class RuneAnnouncer final : public Announcer {
 public:
  /// `ring` is called when rows are durable; it must not block.
  RuneAnnouncer(Options options, std::function<void()> ring)
      : options_(std::move(options)), ring_(std::move(ring)) {}

  std::vector<OutboxRow> announce(const Run& run, std::span<const Event> events,
                                  const OpenScopes& before) override;
  void written(size_t) override {
    if (ring_) ring_();
  }

 private:
  const Options options_;
  const std::function<void()> ring_;
};

}  // namespace fermata::rune
