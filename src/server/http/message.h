#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/trace_context.h"

namespace fermata::http {

enum class Method : uint8_t { get, head, post, put, patch, delete_, options, other };
std::string_view name_of(Method method);
Method method_of(std::string_view text);

struct HeaderField {
  std::string_view name;  ///< as sent; compare without case
  std::string_view value;
};

/// One request, complete when a handler sees it. The views point into the request's own copy of
/// its head, so it is never moved; it lives as long as the last Responder that answers it.
class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method = Method::other;
  std::string_view method_text;
  std::string_view path;       ///< as sent, percent-encoded, begins with `/` (or is `*`)
  std::string_view query;      ///< as sent, without the `?`
  std::string_view authority;  ///< of an absolute target, else the Host header
  bool http_1_0 = false;
  bool keep_alive = true;
  std::vector<HeaderField> headers;
  std::string body;

  /// Filled by the router: decoded variable segments of the path, in order.
  std::array<std::string, 3> variables;
  const void* route = nullptr;
  /// It was received by another server, where others than that machine's programs can reach it, and
  /// brought here: what is open to this machine alone is not open to it.
  bool from_elsewhere = false;
  const void* classified_by = nullptr;  ///< of several handlers, the one whose route it has
  /// Filled by whoever handles it: the trace it belongs to. Where it is recorded its step is this
  /// request, caused by `trace_parent`; else it is the sender's.
  TraceContext trace;
  std::string trace_parent;
  bool trace_recorded = false;

  /// First field of that name, or empty. `name` is compared without case.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;

 private:
  friend class RequestParser;
  std::string head_;
};

/// What a handler answers. `content_type` and header names must be literals, or what `keeps` keeps.
struct Response {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string_view, std::string>> headers;
  bool close = false;  ///< the connection is closed after it
  std::shared_ptr<const void> keeps{};
};

std::string_view reason_of(int status);

bool equal_ignoring_case(std::string_view a, std::string_view b);
/// False when an escape is malformed. `plus_is_space` for form-encoded queries.
bool percent_decode(std::string_view text, std::string& out, bool plus_is_space = false);

using QueryFields = std::vector<std::pair<std::string, std::string>>;
/// Splits and decodes a query or a form body; false when an escape is malformed.
bool parse_query(std::string_view query, QueryFields& out);

}  // namespace fermata::http
