#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fermata::http {

constexpr size_t response_header_bytes_max = 256 << 10;
constexpr size_t response_headers_max = 1'000;

/// Gathers one response from the lines and pieces that the client library hands over, and says
/// when there is too much of it. For one thread.
class ResponseReader {
 public:
  struct Limits {
    uint64_t body_bytes_max = 0;
    bool without_body = false;  ///< of a HEAD: its Content-Length announces nothing
  };
  void restart(Limits limits);

  /// One line of the head with its line end. False when the response is too large.
  [[nodiscard]] bool line(std::string_view text);
  /// A piece of the decoded body. False when the response is too large.
  [[nodiscard]] bool piece(std::string_view bytes);

  bool is_too_large() const { return is_too_large_; }
  /// True once a status line has come.
  bool has_begun() const { return status_ != 0; }
  int status() const { return status_; }
  /// The `location` header, or empty.
  std::string_view location() const;

  std::string status_text;
  /// Names in lower case; repeated ones joined by ", ", except set-cookie. Valid UTF-8: bytes that
  /// are not are read as Latin-1, which is what HTTP once said they are.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

 private:
  void begin(std::string_view status_line);
  [[nodiscard]] bool field(std::string_view text);
  [[nodiscard]] bool add(std::string name, std::string value);
  [[nodiscard]] bool end_of_head();
  bool too_large();

  Limits limits_;
  int status_ = 0;
  size_t head_bytes_ = 0;
  bool head_is_over_ = false;
  bool is_too_large_ = false;
};

/// As it is when valid UTF-8, else every byte taken as a Latin-1 character.
std::string as_utf8(std::string_view bytes);

}  // namespace fermata::http
