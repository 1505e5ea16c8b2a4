#pragma once
#include <functional>
#include <string>

#include "ports/transfer.h"

namespace fermata {

struct PromotionSettings {
  int64_t hold_ms_max =
      2'000;                  ///< writes are held for no longer; if that is too short, again later
  uint32_t holds_max = 5;     ///< tries, then it fails and the old store goes on
  uint32_t rounds_max = 100;  ///< of copying what has changed meanwhile
};

/// What was done, for whoever asked.
struct PromotionReport {
  uint64_t things = 0;         ///< moved, those that changed meanwhile once more each time
  uint64_t rounds = 0;         ///< of copying what had changed
  int64_t held_ms = 0;         ///< for which nobody could write
  bool finished_only = false;  ///< the store had been left before; what was missing is made up for
};

/// Moves everything from one store to another while the first is in use (C-105): copies it, copies
/// what has changed until little is left, compares all of it, holds writes, copies and compares the
/// rest, marks the first store as left and opens the second. Until the mark the first store is the
/// truth and goes on after any failure; from then on the second is.
class Promotion {
 public:
  struct Ports {
    transfer::Source& source;
    transfer::Target& target;
    std::function<int64_t()> clock_ms;  ///< any that does not go back
    std::function<bool()> stopped{};    ///< asked on the way; true ends it before the mark
  };
  /// `from`, `to`: where the stores are, in words for people. `on_step` is told of every step
  /// before it is taken.
  Promotion(Ports ports, std::string from, std::string to, PromotionSettings settings = {},
            std::function<void(std::string_view step)> on_step = {});

  Outcome<PromotionReport> run();
  /// After `run` failed: the first store takes no write any more, and what its file says at the
  /// next start decides which of both is the truth.
  bool left() const { return left_; }

 private:
  Outcome<void> copy();
  Outcome<void> follow();
  Outcome<void> apply(const std::vector<transfer::Key>& keys);
  Outcome<void> compare();
  Outcome<bool> hand_over();
  Outcome<bool> hand_over_held(int64_t since_ms);
  void step(std::string_view name) const;
  Outcome<void> go_on() const;

  const Ports ports_;
  const std::string from_, to_;
  const PromotionSettings settings_;
  const std::function<void(std::string_view)> on_step_;
  std::string token_;
  PromotionReport report_;
  bool left_ = false;
};

}  // namespace fermata
