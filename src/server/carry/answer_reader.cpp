#include "server/carry/answer_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/http/parser.h"

namespace fermata::server {
namespace {

constexpr size_t answer_head_bytes_max = 256 << 10;
constexpr size_t chunk_line_bytes_max = 64;

bool is_of_the_way(std::string_view name) {
  for (std::string_view own : {"connection", "date", "keep-alive", "x-content-type-options"})
    if (http::equal_ignoring_case(name, own)) return true;
  return false;
}

bool read_size(std::string_view text, int base, size_t& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

bool AnswerReader::feed(std::string_view bytes) {
  input_.append(bytes);
  if (state_ == State::head && !read_head()) return false;
  if (state_ == State::head) return input_.size() <= answer_head_bytes_max;
  return step();
}

bool AnswerReader::finish() {
  if (state_ == State::until_end) state_ = State::done;
  return complete();
}

std::string AnswerReader::take_body() { return std::exchange(body_, {}); }

/// An answer that only says to go on (100) comes before the one that is meant.
bool AnswerReader::read_head() {
  size_t end = input_.find("\r\n\r\n");
  if (end == std::string::npos) return true;
  std::string head = input_.substr(0, end + 2);
  input_.erase(0, end + 4);
  size_t line_end = head.find("\r\n");
  size_t status = 0;
  if (!head.starts_with("HTTP/1.1 ") || line_end < 12 ||
      !read_size(std::string_view(head).substr(9, 3), 10, status) || status < 100)
    return false;
  if (status == 100) return read_head();
  head_ = {};
  head_.status = static_cast<int>(status);
  auto kept = std::make_shared<Kept>();
  kept->names.reserve(static_cast<size_t>(std::count(head.begin(), head.end(), '\n')));
  for (size_t at = line_end + 2; at < head.size();) {
    size_t next = head.find("\r\n", at);
    if (!read_field(std::string_view(head).substr(at, next - at), *kept)) return false;
    at = next + 2;
  }
  head_.content_type = kept->content_type;
  head_.keeps = std::move(kept);
  bool none = bodiless_ || status == 204 || status == 304;
  state_ = none       ? State::done
           : streams_ ? State::chunk_size
           : sized_   ? State::sized
                      : State::until_end;
  return true;
}

bool AnswerReader::read_field(std::string_view line, Kept& kept) {
  http::HeaderField field;
  if (!http::parse_field(line, field)) return false;
  if (http::equal_ignoring_case(field.name, "content-length")) {
    sized_ = true;
    return read_size(field.value, 10, left_);
  }
  if (http::equal_ignoring_case(field.name, "transfer-encoding")) {
    streams_ = true;
    return field.value == "chunked";
  }
  if (http::equal_ignoring_case(field.name, "content-type")) {
    kept.content_type = field.value;
  } else if (!is_of_the_way(field.name)) {
    kept.names.emplace_back(field.name);
    head_.headers.emplace_back(kept.names.back(), std::string(field.value));
  }
  return true;
}

bool AnswerReader::read_line(std::string& line) {
  size_t end = input_.find("\r\n");
  if (end == std::string::npos) return false;
  line = input_.substr(0, end);
  input_.erase(0, end + 2);
  return true;
}

/// Goes on as far as what has come allows.
bool AnswerReader::step() {
  std::string line;
  for (;;) {
    switch (state_) {
      case State::head: return false;
      case State::done: return input_.empty();
      case State::until_end: body_.append(std::exchange(input_, {})); return true;
      case State::sized:
      case State::chunk_data: {
        size_t some = std::min(left_, input_.size());
        body_.append(input_, 0, some);
        input_.erase(0, some);
        left_ -= some;
        if (left_ > 0) return true;
        state_ = state_ == State::sized ? State::done : State::chunk_end;
        break;
      }
      case State::chunk_end:
        if (!read_line(line)) return input_.size() < 2;
        if (!line.empty()) return false;
        state_ = State::chunk_size;
        break;
      case State::chunk_size:
        if (!read_line(line)) return input_.size() <= chunk_line_bytes_max;
        if (!read_size(line, 16, left_)) return false;
        state_ = left_ == 0 ? State::last : State::chunk_data;
        break;
      case State::last:
        if (!read_line(line)) return input_.size() <= chunk_line_bytes_max;
        if (!line.empty()) return false;
        state_ = State::done;
        break;
    }
  }
}

}  // namespace fermata::server
