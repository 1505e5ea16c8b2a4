#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "server/http/message.h"

namespace fermata::http {

/// The largest body that a request may have, and the setting that says so.
struct BodyLimit {
  size_t bytes = 0;
  std::string_view setting;
};
/// Knows requests that may bring more than others. Asked when the head has been read.
class BodyRule {
 public:
  virtual ~BodyRule() = default;
  /// Nothing: what holds for all.
  virtual std::optional<BodyLimit> body_limit(Request& request) = 0;
};

struct ParserLimits {
  size_t header_bytes_max = 64 << 10;
  size_t header_fields_max = 128;
  size_t body_bytes_max = 4 << 20;
  BodyRule* rule = nullptr;
};

/// Reads HTTP/1.1 requests from a stream of bytes in pieces of any size. Strict where two readers
/// could disagree about where a request ends (request smuggling): one Content-Length of digits, or
/// the one transfer coding `chunked`, never both; CRLF only; no folded lines; no space before the
/// colon; one Host. After the first mistake it stays `failed` and the connection must be closed.
class RequestParser {
 public:
  enum class State : uint8_t { head, body, done, failed };

  explicit RequestParser(const ParserLimits& limits) : limits_(limits) {}

  /// Takes bytes from the front of `input` into `request` and tells how many. Stops at the end of
  /// one request.
  size_t feed(std::string_view input, Request& request);
  State state() const { return state_; }
  /// True once any byte of the request has been taken.
  bool begun() const { return begun_; }
  /// True when the client waits for `100 Continue` before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  const Error& error() const { return error_; }
  void reset();

 private:
  enum class Chunk : uint8_t { size, data, data_end, trailer };

  size_t feed_head(std::string_view input, Request& request);
  size_t feed_length(std::string_view input, Request& request);
  size_t feed_chunked(std::string_view input, Request& request);
  size_t feed_chunk_line(std::string_view input, Request& request);
  size_t feed_chunk_data(std::string_view input, Request& request);
  void parse_head(Request& request);
  bool parse_request_line(std::string_view line, Request& request);
  bool parse_target(std::string_view target, Request& request);
  bool parse_fields(std::string_view lines, Request& request);
  bool check_framing(Request& request);
  bool read_length(std::string_view text);
  void end_chunk_line(Request& request);
  bool too_large();
  bool fail(std::string message, ErrorCode code = ErrorCode::bad_request);

  const ParserLimits limits_;
  State state_ = State::head;
  Chunk chunk_ = Chunk::size;
  bool begun_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
  int leading_bytes_ = 0;
  size_t body_left_ = 0;
  BodyLimit body_limit_{};
  size_t overhead_ = 0;  ///< bytes spent on chunk lines and trailers
  std::string line_;
  Error error_{};
};

/// One line of header text as a field; false when it is malformed. Shared with trailers.
bool parse_field(std::string_view line, HeaderField& out);

}  // namespace fermata::http
