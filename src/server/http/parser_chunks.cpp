#include <algorithm>
#include <charconv>

#include "server/http/parser.h"

/// Bodies that come in chunks.
namespace fermata::http {
namespace {

constexpr size_t chunk_overhead_max = 64 << 10;

bool has_control_bytes(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

}  // namespace

size_t RequestParser::feed_chunked(std::string_view input, Request& request) {
  expects_continue_ = false;
  return chunk_ == Chunk::data ? feed_chunk_data(input, request) : feed_chunk_line(input, request);
}

size_t RequestParser::feed_chunk_data(std::string_view input, Request& request) {
  size_t step = std::min(input.size(), body_left_);
  request.body.append(input.substr(0, step));
  body_left_ -= step;
  if (body_left_ == 0) chunk_ = Chunk::data_end;
  return step;
}

size_t RequestParser::feed_chunk_line(std::string_view input, Request& request) {
  size_t step = std::min(input.find('\n'), input.size() - 1) + 1;
  overhead_ += step;
  line_.append(input.substr(0, step));
  if (overhead_ > chunk_overhead_max + request.body.size()) {
    fail("The chunk lines and trailers are larger than the body they carry.");
    return step;
  }
  if (line_.back() != '\n') return step;
  if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
    fail("A line of a chunked body does not end in CRLF.");
    return step;
  }
  line_.resize(line_.size() - 2);
  end_chunk_line(request);
  line_.clear();
  return step;
}

void RequestParser::end_chunk_line(Request& request) {
  if (chunk_ == Chunk::data_end) {
    if (line_.empty()) {
      chunk_ = Chunk::size;
    } else {
      fail("A chunk is longer than its size says.");
    }
    return;
  }
  if (chunk_ == Chunk::trailer) {
    HeaderField ignored;
    if (line_.empty()) {
      state_ = State::done;
    } else if (!parse_field(line_, ignored)) {
      fail("A trailer field is malformed.");
    }
    return;
  }
  // Extensions after `;` mean nothing here, but must not hide control bytes.
  std::string_view line = line_;
  std::string_view digits = line.substr(0, std::min(line.find(';'), line.size()));
  size_t size = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  if (has_control_bytes(line) || digits.empty() || digits.size() > 15 || code != std::errc() ||
      end != digits.data() + digits.size() || digits[0] == '-') {
    fail("A chunk size is not a hexadecimal number.");
  } else if (size == 0) {
    chunk_ = Chunk::trailer;
  } else if (size > body_limit_.bytes - request.body.size()) {
    too_large();
  } else {
    body_left_ = size;
    chunk_ = Chunk::data;
  }
}

}  // namespace fermata::http
