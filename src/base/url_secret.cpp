#include "base/url_secret.h"

namespace fermata {

std::string without_password(std::string_view url) {
  std::string shown(url);
  size_t scheme = shown.find("://");
  if (scheme == std::string::npos) return shown;
  size_t begin = scheme + 3;
  // Whoever wrote a `/` or `?` into a password unescaped should not see it in a log either: the
  // last
  // `@` ends it.
  size_t at = shown.rfind('@');
  if (at == std::string::npos || at < begin) return shown;
  size_t colon = shown.find(':', begin);
  if (colon == std::string::npos || colon > at) return shown;
  return shown.replace(colon + 1, at - colon - 1, "***");
}

}  // namespace fermata
