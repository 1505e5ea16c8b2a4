#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace fermata::sim {

/// The rows of waits as the store would hold them (W-90): each commit writes those that its events
/// changed, no other; a wait ends once, by one cause, and stays as it ended (W-2, W-61).
class WaitRows {
 public:
  /// `state` has the events of the write folded in, and nothing else in its changes.
  void written(Run& state, const std::vector<WaitRecord>& waits);

 private:
  void move(const Run& state, const Wait& to);

  std::map<std::string, Wait> rows_;
};

}  // namespace fermata::sim
