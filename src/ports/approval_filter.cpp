#include <algorithm>

#include "ports/approvals.h"

namespace fermata {
namespace {

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool finds(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) { return lower_case(a) == lower_case(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool matches(const ApprovalFilter& filter, const ApprovalRecord& record) {
  const Approval& approval = record.approval;
  const auto& statuses = filter.statuses;
  if (!filter.account.empty() && filter.account != record.account) return false;
  if (!filter.workflow.empty() && filter.workflow != record.workflow) return false;
  if (!filter.run.empty() && filter.run != record.run) return false;
  if (!statuses.empty() &&
      std::find(statuses.begin(), statuses.end(), approval.status) == statuses.end())
    return false;
  if (filter.q.empty()) return true;
  auto has = [&](std::string_view text) { return finds(text, filter.q); };
  return has(approval.id) || has(record.run.text()) || has(record.workflow.text()) ||
         has(approval.step) || has(approval.title);
}

}  // namespace fermata
