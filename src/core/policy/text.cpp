#include "core/policy/text.h"

namespace fermata::policy {

namespace {

std::string parent_of(const std::string& pointer) {
  size_t slash = pointer.rfind('/');
  return slash == std::string::npos ? std::string() : pointer.substr(0, slash);
}

}  // namespace

void locate(std::vector<Finding>& findings, const ReadText& text) {
  for (Finding& finding : findings) {
    if (finding.line > 0) continue;
    std::string pointer = finding.path;
    auto found = text.places.find(pointer);
    while (found == text.places.end() && !pointer.empty()) {
      pointer = parent_of(pointer);
      found = text.places.find(pointer);
    }
    finding.line = found == text.places.end() ? 1 : found->second.line;
    finding.column = found == text.places.end() ? 1 : found->second.column;
  }
}

std::string first_of(const std::vector<Finding>& findings, std::string_view file) {
  if (findings.empty()) return std::string(file);
  const Finding& first = findings.front();
  std::string out(file);
  out += ":" + std::to_string(first.line) + ":" + std::to_string(first.column) + ": ";
  if (!first.path.empty()) out += first.path + ": ";
  return out + first.message;
}

}  // namespace fermata::policy
