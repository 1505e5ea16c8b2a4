#include "server/http/serialise.h"

#include <charconv>
#include <ctime>

namespace fermata::http {
namespace {

void append_number(std::string& out, uint64_t number, int base = 10) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  out.append(digits, end);
}

/// A value from outside must not end its line and begin another header.
void append_value(std::string& out, std::string_view value) {
  for (char c : value) out.push_back(c == '\r' || c == '\n' || c == '\0' ? ' ' : c);
}

}  // namespace

void append_response(std::string& out, const Response& response, const HeadOptions& options) {
  bool bodiless = response.status == 204 || response.status == 304 || response.status < 200;
  out.append(options.http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ");
  append_number(out, static_cast<uint64_t>(response.status));
  out.push_back(' ');
  out.append(reason_of(response.status));
  out.append("\r\nDate: ").append(options.date);
  if (!bodiless) out.append("\r\nContent-Type: ").append(response.content_type);
  if (options.framing == Framing::chunked) {
    out.append("\r\nTransfer-Encoding: chunked");
  } else if (options.framing == Framing::length && !bodiless) {
    out.append("\r\nContent-Length: ");
    append_number(out, response.body.size());
  }
  out.append("\r\nX-Content-Type-Options: nosniff\r\n");
  for (const auto& [name, value] : response.headers) {
    out.append(name).append(": ");
    append_value(out, value);
    out.append("\r\n");
  }
  if (options.close) {
    out.append("Connection: close\r\n");
  } else if (options.http_1_0) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
  if (!options.without_body && !bodiless && options.framing == Framing::length)
    out.append(response.body);
}

void append_chunk(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  append_number(out, bytes.size(), 16);
  out.append("\r\n").append(bytes).append("\r\n");
}

void append_last_chunk(std::string& out) { out.append("0\r\n\r\n"); }

std::string http_date(int64_t unix_s) {
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  time_t seconds = unix_s;
  tm parts{};
  gmtime_r(&seconds, &parts);
  char clock[16];
  strftime(clock, sizeof clock, "%H:%M:%S", &parts);
  std::string out = days[parts.tm_wday];
  out.append(parts.tm_mday < 10 ? ", 0" : ", ").append(std::to_string(parts.tm_mday));
  out.append(" ").append(months[parts.tm_mon]).append(" ");
  out.append(std::to_string(parts.tm_year + 1900)).append(" ").append(clock).append(" GMT");
  return out;
}

}  // namespace fermata::http
