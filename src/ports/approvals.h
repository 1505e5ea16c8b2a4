#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/approval.h"

namespace fermata {

/// Which approvals a list shows; empty fields do not filter.
struct ApprovalFilter {
  AccountId account{};
  std::vector<ApprovalStatus> statuses{};
  WorkflowId workflow{};
  RunId run{};
  std::string q{};  ///< text found in id, run id, workflow id, step or title
};
bool matches(const ApprovalFilter& filter, const ApprovalRecord& record);

struct ApprovalPage {
  std::vector<ApprovalRecord> items;  ///< newest first
  std::string next_cursor;            ///< empty on the last page
};

}  // namespace fermata
