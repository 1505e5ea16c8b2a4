#include "cli/redacted.h"

#include <algorithm>

namespace fermata::cli {
namespace {

constexpr std::string_view hidden = "(hidden)";

std::string database_without_password(std::string out) {
  size_t begin = out.find("://") + 3;
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

}  // namespace

std::string without_password(std::string_view text) {
  std::string out(text);
  if (out.starts_with("postgres://") || out.starts_with("postgresql://"))
    return database_without_password(std::move(out));
  // Elsewhere a user alone may be a token.
  for (size_t begin = 0; (begin = out.find("://", begin)) != std::string::npos;) {
    begin += 3;
    size_t end = out.find_first_of("/?#, ", begin);
    size_t at = std::string_view(out).substr(0, end).rfind('@');
    if (at != std::string::npos && at >= begin) out.replace(begin, at - begin, hidden);
  }
  return out;
}

}  // namespace fermata::cli
