#include "cli/redacted.h"

#include <algorithm>

namespace fermata::cli {
namespace {

constexpr std::string_view hidden = "(hidden)";

}  // namespace

std::string without_password(std::string_view text) {
  std::string out(text);
  size_t scheme = out.find("://");
  if (scheme == std::string::npos) return out;
  size_t begin = scheme + 3;
  // A password that was not escaped may hold any of these: the last `@` ends it.
  size_t at = out.rfind('@');
  if (at != std::string::npos && at >= begin) {
    size_t colon = out.find(':', begin);
    if (colon < at) out.replace(colon + 1, at - colon - 1, hidden);
  }
  for (size_t from = 0; (from = out.find("password=", from)) != std::string::npos;) {
    from += std::string_view("password=").size();
    size_t stop = std::min(out.find('&', from), out.size());
    out.replace(from, stop - from, hidden);
  }
  return out;
}

}  // namespace fermata::cli
