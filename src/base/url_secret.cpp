#include "base/url_secret.h"

#include <algorithm>

namespace fermata {
namespace {

constexpr std::string_view hidden = "(hidden)";

/// Where the secret of the address at `begin`, just behind its `://`, stands in the text.
struct Secret {
  size_t begin = 0, end = 0;
};
Secret secret_of(const std::string& text, size_t begin) {
  size_t next = text.find("://", begin);
  size_t end = next == std::string::npos ? next : text.find_last_of(", ", next);
  // A password that was not escaped may hold anything: the last `@` of its address ends it.
  size_t at = end == std::string::npos || end < begin ? text.rfind('@') : text.rfind('@', end);
  if (at == std::string::npos || at < begin) return {};
  if (!text.starts_with("postgres")) return {begin, at};  // a user alone may be a token
  size_t colon = text.find(':', begin);
  return colon < at ? Secret{colon + 1, at} : Secret{};
}

}  // namespace

std::string without_password(std::string_view text) {
  std::string out(text);
  for (size_t from = 0; (from = out.find("://", from)) != std::string::npos;) {
    from += 3;
    Secret secret = secret_of(out, from);
    if (secret.end == 0) continue;
    out.replace(secret.begin, secret.end - secret.begin, hidden);
    from = secret.begin + hidden.size();
  }
  if (out.find("://") == std::string::npos) return out;
  for (size_t from = 0; (from = out.find("password=", from)) != std::string::npos;) {
    from += std::string_view("password=").size();
    size_t stop = std::min(out.find('&', from), out.size());
    out.replace(from, stop - from, hidden);
  }
  return out;
}

}  // namespace fermata
