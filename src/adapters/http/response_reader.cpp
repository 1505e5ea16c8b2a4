#include "adapters/http/response_reader.h"

#include <algorithm>
#include <charconv>

#include "adapters/http/request_rules.h"
#include "base/utf8.h"

namespace fermata::http {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string as_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

void ResponseReader::restart(Limits limits) {
  *this = ResponseReader();
  limits_ = limits;
}

bool ResponseReader::line(std::string_view text) {
  // Counted over informational answers too: a server could send those for ever.
  head_bytes_ += text.size();
  if (head_bytes_ > response_header_bytes_max) return too_large();
  if (text.starts_with("HTTP/")) {
    begin(text);
    return true;
  }
  // Trailers come after the body; what they say was not known when it was read.
  if (head_is_over_) return true;
  return trim(text).empty() ? end_of_head() : field(text);
}

bool ResponseReader::too_large() {
  is_too_large_ = true;
  return false;
}

void ResponseReader::begin(std::string_view status_line) {
  headers.clear();
  head_is_over_ = false;
  std::string_view rest = trim(status_line);
  rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  rest = trim(rest);
  status_ = 0;
  const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), status_).ptr;
  status_text = as_utf8(trim(rest.substr(static_cast<size_t>(end - rest.data()))));
}

bool ResponseReader::field(std::string_view text) {
  const bool is_folded = text.front() == ' ' || text.front() == '\t';
  if (is_folded) {
    if (!headers.empty()) headers.back().second += " " + as_utf8(trim(text));
    return true;
  }
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return true;
  return add(as_utf8(lower_case(trim(text.substr(0, colon)))),
             as_utf8(trim(text.substr(colon + 1))));
}

bool ResponseReader::add(std::string name, std::string value) {
  if (name != "set-cookie") {
    for (auto& [known, joined] : headers) {
      if (known != name) continue;
      joined += ", " + value;
      return true;
    }
  }
  if (headers.size() == response_headers_max) return too_large();
  headers.emplace_back(std::move(name), std::move(value));
  return true;
}

bool ResponseReader::end_of_head() {
  head_is_over_ = true;
  const bool has_body = !limits_.without_body && status_ >= 200 && status_ != 204 && status_ != 304;
  if (!has_body) return true;
  for (const auto& [name, value] : headers) {
    if (name != "content-length") continue;
    uint64_t announced = 0;
    const auto bad = std::from_chars(value.data(), value.data() + value.size(), announced).ec;
    if (bad == std::errc::result_out_of_range) announced = UINT64_MAX;
    if (announced > limits_.body_bytes_max) return too_large();
  }
  return true;
}

bool ResponseReader::piece(std::string_view bytes) {
  if (bytes.size() > limits_.body_bytes_max - body.size()) return too_large();
  body.append(bytes);
  return true;
}

std::string_view ResponseReader::location() const {
  for (const auto& [name, value] : headers)
    if (name == "location") return value;
  return {};
}

}  // namespace fermata::http
