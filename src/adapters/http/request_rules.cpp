#include "adapters/http/request_rules.h"

#include <algorithm>
#include <array>

namespace fermata::http {
namespace {

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

template <size_t n>
bool is_one_of(std::string_view text, const std::array<std::string_view, n>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_secret(const std::string& name, const std::set<std::string>& secret_names) {
  // A Host header was written for the first host, so it stays behind like a secret.
  constexpr std::array<std::string_view, 4> whole{"cookie", "cookie2", "host", "origin"};
  constexpr std::array<std::string_view, 8> parts{"auth",     "token",     "secret",  "key",
                                                  "password", "signature", "session", "credential"};
  if (secret_names.contains(name) || is_one_of(name, whole)) return true;
  // The key of G-39 is made by the engine and opens nothing.
  if (name == "idempotency-key") return false;
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool describes_body(std::string_view name) { return name.starts_with("content-"); }

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::optional<std::string> mistake_in(const CallRequest& request) {
  if (!is_token(request.method) || request.method.size() > method_bytes_max)
    return "the method is not an HTTP method";
  // Its answer would be a tunnel, for which nobody is there to speak.
  if (lower_case(request.method) == "connect") return "the method CONNECT cannot be called";
  size_t bytes = 0;
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) return "a header has a name with characters that are not allowed";
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return "the value of header `" + name + "` has a line break or a NUL";
    bytes += name.size() + value.size() + 4;
  }
  if (bytes > request_header_bytes_max)
    return "the headers have more than " + std::to_string(request_header_bytes_max) + " bytes";
  return std::nullopt;
}

Headers without_framing(Headers headers) {
  constexpr std::array<std::string_view, 9> framing{
      "content-length", "transfer-encoding", "connection", "keep-alive",      "te",
      "trailer",        "upgrade",           "expect",     "proxy-connection"};
  std::erase_if(headers,
                [&](const auto& header) { return is_one_of(lower_case(header.first), framing); });
  return headers;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string method_after(int status, const std::string& method) {
  if (status == 303 && method != "HEAD") return "GET";
  if ((status == 301 || status == 302) && method == "POST") return "GET";
  return method;
}

Headers headers_after(Headers headers, RedirectChange change,
                      const std::set<std::string>& secret_names) {
  std::erase_if(headers, [&](const auto& header) {
    const std::string name = lower_case(header.first);
    return (change.drops_body && describes_body(name)) ||
           (change.leaves_origin && is_secret(name, secret_names));
  });
  return headers;
}

}  // namespace fermata::http
