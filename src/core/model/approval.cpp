#include "core/model/approval.h"

#include <algorithm>
#include <array>

namespace fermata {
namespace {

constexpr std::array<std::string_view, 5> approval_status_names = {
    "pending", "approved", "rejected", "expired", "withdrawn"};

}  // namespace

std::string_view name_of(ApprovalStatus status) {
  return approval_status_names.at(static_cast<size_t>(status));
}

std::optional<ApprovalStatus> approval_status_of(std::string_view name) {
  const auto* found = std::find(approval_status_names.begin(), approval_status_names.end(), name);
  if (found == approval_status_names.end()) return std::nullopt;
  return static_cast<ApprovalStatus>(found - approval_status_names.begin());
}

}  // namespace fermata
