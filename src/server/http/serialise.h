#pragma once
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace fermata::http {

enum class Framing : uint8_t { length, chunked, until_close };

struct HeadOptions {
  Framing framing = Framing::length;
  bool close = false;
  bool http_1_0 = false;
  bool without_body = false;  ///< the request was HEAD
  std::string_view date;      ///< IMF-fixdate
};

/// Appends a whole answer, or the head of a stream.
void append_response(std::string& out, const Response& response, const HeadOptions& options);
void append_chunk(std::string& out, std::string_view bytes);
void append_last_chunk(std::string& out);

/// `Sun, 06 Nov 1994 08:49:37 GMT` from seconds since 1970.
std::string http_date(int64_t unix_s);

}  // namespace fermata::http
