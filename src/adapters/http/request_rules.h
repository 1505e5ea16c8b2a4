#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/call.h"

namespace fermata::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr size_t method_bytes_max = 32;
constexpr size_t request_header_bytes_max = 256 << 10;

std::string lower_case(std::string_view text);

/// What makes a request impossible to send (for `parameter_invalid`), or nothing. The address is
/// judged apart, by parse_url. Names a header at fault, never its value.
std::optional<std::string> mistake_in(const CallRequest& request);

/// Without the headers that frame the message or belong to one connection (Content-Length,
/// Transfer-Encoding, Connection and the like). Connections are shared by accounts: with a length
/// of its own choice one account could make another read its answer. Browsers drop them too.
Headers without_framing(Headers headers);

/// 301, 302, 303, 307 and 308: the answers that a `Location` may be followed from.
bool is_redirect(int status);

/// The method after a redirect, as browsers choose it: 303 turns all but HEAD into GET, 301 and 302
/// turn POST into GET, 307 and 308 keep it.
std::string method_after(int status, const std::string& method);

struct RedirectChange {
  bool leaves_origin = false;
  bool drops_body = false;
};
/// The headers that go along with a redirect. What describes a body leaves with the body. Leaving
/// the origin, names that tell of a secret and those in `secret_names` (lower case) stay behind.
Headers headers_after(Headers headers, RedirectChange change,
                      const std::set<std::string>& secret_names);

}  // namespace fermata::http
