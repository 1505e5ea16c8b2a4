#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace fermata::http {

/// An absolute http or https address, ready to be requested.
struct WebUrl {
  std::string text;
  std::string origin;  ///< scheme, host and port: what secrets in a request are meant for
};

/// Why there is no WebUrl. The message never repeats the text, which may hold secrets.
struct UrlMistake {
  bool is_scheme = false;  ///< readable, but neither http nor https
  std::string message;
};

using UrlResult = Result<WebUrl, UrlMistake>;

/// Strict: spaces and control characters are mistakes; bytes above ASCII are percent-encoded.
UrlResult parse_url(std::string_view text);
/// Where a `Location` leads, seen from `base`. Spaces are encoded, as browsers do.
UrlResult resolve_location(const WebUrl& base, std::string_view location);

}  // namespace fermata::http
