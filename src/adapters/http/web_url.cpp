#include "adapters/http/web_url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace fermata::http {
namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

UrlResult mistake(std::string message, bool is_scheme = false) {
  return Failure{UrlMistake{is_scheme, std::move(message)}};
}

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

UrlResult finish(CURLU* url) {
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return mistake("only http and https addresses can be called", true);
  std::string host = part_of(url, CURLUPART_HOST);
  if (host.empty()) return mistake("the address has no host");
  std::transform(host.begin(), host.end(), host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  return WebUrl{part_of(url, CURLUPART_URL), scheme + "://" + host + ":" + port};
}

/// Sets the address, or one relative to what is set already.
UrlResult set_and_finish(CURLU* url, std::string_view text, unsigned flags) {
  if (has_control_character(text)) return mistake("the address has a control character");
  // Unknown schemes are let in here so that they are told apart from what cannot be read.
  flags |= CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME;
  const CURLUcode code = curl_url_set(url, CURLUPART_URL, std::string(text).c_str(), flags);
  if (code == CURLUE_BAD_SCHEME)
    return mistake("the address does not begin with http:// or https://");
  if (code != CURLUE_OK)
    return mistake(std::string("the address is malformed: ") + curl_url_strerror(code));
  return finish(url);
}

}  // namespace

UrlResult parse_url(std::string_view text) {
  if (text.find(' ') != std::string_view::npos)
    return mistake("the address has a space; write it as %20");
  const Url url(curl_url(), curl_url_cleanup);
  check(url != nullptr);
  return set_and_finish(url.get(), text, 0);
}

UrlResult resolve_location(const WebUrl& base, std::string_view location) {
  const Url url(curl_url(), curl_url_cleanup);
  check(url != nullptr);
  check(curl_url_set(url.get(), CURLUPART_URL, base.text.c_str(), 0) == CURLUE_OK);
  return set_and_finish(url.get(), location, CURLU_ALLOW_SPACE);
}

}  // namespace fermata::http
