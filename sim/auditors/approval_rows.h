#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace fermata::sim {

/// The rows of approvals as the store would hold them: each commit writes those that its events
/// changed, no other; a question is asked once, ends once and stays as it ended.
class ApprovalRows {
 public:
  /// `state` has the events of the write folded in, and nothing else in its changes.
  void written(Run& state, const std::vector<ApprovalRecord>& approvals);

 private:
  std::map<std::string, Approval> rows_;
};

}  // namespace fermata::sim
