#include "server/http/parser.h"

#include <algorithm>
#include <charconv>

namespace fermata::http {
namespace {

constexpr size_t target_bytes_max = 16 << 10;
constexpr int leading_bytes_max = 4;

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_value_char(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

std::string target_too_long() {
  return "The target is longer than " + std::to_string(target_bytes_max) + " bytes.";
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// True when a comma-separated list of tokens holds `token`.
bool list_has(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trim(list.substr(0, end)), token)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

bool parse_field(std::string_view line, HeaderField& out) {
  size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  out.name = line.substr(0, colon);
  out.value = trim(line.substr(colon + 1));
  return std::all_of(out.value.begin(), out.value.end(), is_value_char);
}

void RequestParser::reset() {
  state_ = State::head;
  chunk_ = Chunk::size;
  begun_ = chunked_ = expects_continue_ = false;
  leading_bytes_ = 0;
  body_left_ = overhead_ = 0;
  line_.clear();
}

bool RequestParser::fail(std::string message, ErrorCode code) {
  state_ = State::failed;
  error_ = Error{code, std::move(message), {}};
  return false;
}

size_t RequestParser::feed(std::string_view input, Request& request) {
  size_t taken = 0;
  while (taken < input.size() && (state_ == State::head || state_ == State::body)) {
    std::string_view rest = input.substr(taken);
    size_t step = state_ == State::head ? feed_head(rest, request)
                  : chunked_            ? feed_chunked(rest, request)
                                        : feed_length(rest, request);
    taken += step;
  }
  return taken;
}

size_t RequestParser::feed_head(std::string_view input, Request& request) {
  std::string& head = request.head_;
  // An empty line before a request is what some old clients leave behind a body.
  if (head.empty() && (input[0] == '\r' || input[0] == '\n')) {
    if (++leading_bytes_ > leading_bytes_max) fail("The request does not begin with a method.");
    return 1;
  }
  begun_ = true;
  size_t before = head.size();
  size_t room = limits_.header_bytes_max + 4 - before;
  head.append(input.substr(0, room));
  size_t end = head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == std::string::npos) {
    if (head.size() > limits_.header_bytes_max) {
      if (head.find("\r\n") > target_bytes_max) {
        fail(target_too_long(), ErrorCode::target_too_long);
      } else {
        fail("The header is larger than http_header_bytes_max, " +
                 std::to_string(limits_.header_bytes_max) + " bytes.",
             ErrorCode::header_too_large);
      }
    }
    return head.size() - before;
  }
  head.resize(end + 4);
  parse_head(request);
  return head.size() - before;
}

void RequestParser::parse_head(Request& request) {
  std::string_view head = request.head_;
  size_t line_end = head.find("\r\n");
  if (!parse_request_line(head.substr(0, line_end), request)) return;
  head.remove_prefix(line_end + 2);
  head.remove_suffix(2);
  if (!parse_fields(head, request) || !check_framing(request)) return;
  if (state_ == State::head) state_ = State::body;
}

bool RequestParser::parse_request_line(std::string_view line, Request& request) {
  size_t first = line.find(' ');
  size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return fail("The request line is not `METHOD target HTTP/1.1`.");
  request.method_text = line.substr(0, first);
  if (!is_token(request.method_text) || request.method_text.size() > 32)
    return fail("The method is not a token.");
  request.method = method_of(request.method_text);
  std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return fail("Only HTTP/1.1 and HTTP/1.0 are spoken here.");
  request.http_1_0 = version == "HTTP/1.0";
  return parse_target(line.substr(first + 1, last - first - 1), request);
}

bool RequestParser::parse_target(std::string_view target, Request& request) {
  if (target.empty()) return fail("The target is empty.");
  if (target.size() > target_bytes_max) return fail(target_too_long(), ErrorCode::target_too_long);
  for (char c : target)
    if (c <= 0x20 || c >= 0x7f || c == '#')
      return fail("The target holds a byte that must be percent-encoded.");
  if (target == "*" && request.method == Method::options) {
    request.path = target;
    return true;
  }
  for (std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    size_t end = std::min(target.find_first_of("/?"), target.size());
    request.authority = target.substr(0, end);
    target.remove_prefix(end);
    if (request.authority.empty()) return fail("The target names no host.");
    if (target.empty()) target = "/";
    break;
  }
  if (target.front() != '/') return fail("The target does not begin with `/`.");
  size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  if (question < target.size()) request.query = target.substr(question + 1);
  return true;
}

bool RequestParser::parse_fields(std::string_view lines, Request& request) {
  request.headers.reserve(12);
  while (!lines.empty()) {
    size_t end = lines.find("\r\n");
    HeaderField field;
    if (!parse_field(lines.substr(0, end), field))
      return fail("A header field is malformed (name, colon, value, without folding).");
    if (request.headers.size() == limits_.header_fields_max)
      return fail(
          "There are more than " + std::to_string(limits_.header_fields_max) + " header fields.",
          ErrorCode::header_too_large);
    request.headers.push_back(field);
    lines.remove_prefix(end + 2);
  }
  return true;
}

bool RequestParser::check_framing(Request& request) {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  std::string_view host;
  request.keep_alive = !request.http_1_0;
  for (const HeaderField& field : request.headers) {
    if (equal_ignoring_case(field.name, "host")) {
      ++hosts;
      host = field.value;
    } else if (equal_ignoring_case(field.name, "content-length")) {
      ++lengths;
      if (!read_length(field.value)) return fail("Content-Length is not a number of bytes.");
    } else if (equal_ignoring_case(field.name, "transfer-encoding")) {
      ++codings;
      if (!equal_ignoring_case(field.value, "chunked"))
        return fail("The only transfer coding understood is `chunked`.");
    } else if (equal_ignoring_case(field.name, "connection")) {
      if (list_has(field.value, "close")) request.keep_alive = false;
      if (request.http_1_0 && list_has(field.value, "keep-alive")) request.keep_alive = true;
    } else if (equal_ignoring_case(field.name, "expect")) {
      if (!equal_ignoring_case(field.value, "100-continue"))
        return fail("The only expectation understood is `100-continue`.",
                    ErrorCode::expectation_failed);
      expects_continue_ = !request.http_1_0;
    }
  }
  if (hosts > 1 || (hosts == 0 && !request.http_1_0)) return fail("Exactly one Host is needed.");
  if (request.authority.empty()) request.authority = host;
  if (lengths > 1) return fail("Content-Length is given more than once.");
  if (codings > 1) return fail("Transfer-Encoding is given more than once.");
  if (codings > 0 && lengths > 0)
    return fail("Content-Length and Transfer-Encoding exclude each other.");
  if (codings > 0 && request.http_1_0) return fail("HTTP/1.0 has no transfer codings.");
  chunked_ = codings > 0;
  body_limit_ = {limits_.body_bytes_max, "http_body_bytes_max"};
  if (limits_.rule && (chunked_ || body_left_ > body_limit_.bytes))
    if (auto other = limits_.rule->body_limit(request)) body_limit_ = *other;
  if (body_left_ > body_limit_.bytes) return too_large();
  if (!chunked_ && body_left_ == 0) {
    expects_continue_ = false;
    state_ = State::done;
  }
  return true;
}

bool RequestParser::too_large() {
  return fail("The body is larger than " + std::string(body_limit_.setting) + ", " +
                  std::to_string(body_limit_.bytes) + " bytes.",
              ErrorCode::body_too_large);
}

bool RequestParser::read_length(std::string_view text) {
  constexpr size_t digits_max = 18;
  if (text.empty() || text.size() > digits_max) return false;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), body_left_);
  return code == std::errc() && end == text.data() + text.size() && text[0] != '+';
}

size_t RequestParser::feed_length(std::string_view input, Request& request) {
  expects_continue_ = false;
  size_t step = std::min(input.size(), body_left_);
  if (request.body.empty()) request.body.reserve(std::min<size_t>(body_left_, 64 << 10));
  request.body.append(input.substr(0, step));
  body_left_ -= step;
  if (body_left_ == 0) state_ = State::done;
  return step;
}

}  // namespace fermata::http
