#include "core/mail/message.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/hash.h"
#include "base/utf8.h"

namespace fermata::mail {
namespace {

constexpr size_t line_bytes = 76;       ///< where lines are folded
constexpr size_t line_bytes_max = 998;  ///< what no server needs to take more of
constexpr size_t word_bytes = 39;       ///< makes an encoded word of 64 characters
constexpr size_t base64_line_bytes = 57;

bool is_control_in_mail(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

/// Each run of control characters as one blank: nothing in it can end the header.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (!is_control_in_mail(c))
      out += c;
    else if (!out.ends_with(' '))
      out += ' ';
  }
  return out;
}

/// The longest beginning of `text` up to `most` bytes that ends between two characters.
size_t cut_at(std::string_view text, size_t most) {
  size_t size = std::min(most, text.size());
  while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;
  return size == 0 ? std::min(most, text.size()) : size;
}

std::string encoded_words(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t size = cut_at(text, word_bytes);
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + base64(text.substr(0, size)) + "?=";
    text.remove_prefix(size);
  }
  return out;
}

/// Breaks a plain text at its blanks. Nothing when a word is too long for any line.
std::string folded(std::string_view text, size_t column) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at + 1), text.size());
    if (column + (end - at) > line_bytes && text[at] == ' ' && !out.empty() && end > at + 1) {
      out += "\r\n";
      column = 0;
    }
    out += text.substr(at, end - at);
    column += end - at;
    if (column > line_bytes_max - 2) return {};
    at = end;
  }
  return out;
}

bool is_atom_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~ ";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != marks.npos;
  });
}

std::string name_text(std::string_view name) {
  bool plain = std::all_of(name.begin(), name.end(), is_plain) && name.size() <= line_bytes &&
               name.find("=?") == name.npos;
  if (!plain) return encoded_words(name);
  if (is_atom_text(name)) return std::string(name);
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void add_addresses(std::string& out, std::string_view header, const std::vector<Address>& all) {
  out += header;
  out += ": ";
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) out += ",\r\n ";
    if (all[i].name.empty()) {
      out += all[i].address;
      continue;
    }
    std::string name = name_text(all[i].name);
    out += name + (name.size() + all[i].address.size() > line_bytes - 10 ? "\r\n <" : " <") +
           all[i].address + ">";
  }
  out += "\r\n";
}

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 32 + 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      out += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    out += "\r\n";
  }
  if (!out.empty() && !out.ends_with("\r\n")) out += "\r\n";
  return out;
}

std::string base64_lines(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); at += base64_line_bytes)
    out += base64(text.substr(at, base64_line_bytes)) + "\r\n";
  return out;
}

}  // namespace

std::string header_text(std::string_view text, size_t column) {
  std::string line = in_one_line(text);
  bool plain =
      std::all_of(line.begin(), line.end(), is_plain) && line.find("=?") == std::string::npos;
  if (plain) {
    std::string out = folded(line, column);
    if (!out.empty() || line.empty()) return out;
  }
  return encoded_words(line);
}

std::string_view encoding_for(std::string_view text) {
  size_t escaped = 0, line = 0;
  bool fits = true;
  for (char c : text) {
    bool ends = c == '\r' || c == '\n';
    line = ends ? 0 : line + 1;
    if (line > line_bytes_max) fits = false;
    if (!is_plain(c) && c != '\t' && !ends) ++escaped;
  }
  if (escaped == 0 && fits) return "7bit";
  // Three bytes for each escaped one against four for every three.
  return escaped * 2 > text.size() / 3 ? "base64" : "quoted-printable";
}

std::string quoted_printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  size_t column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\r\n") {
      out += "\r\n";
      column = 0;
      ++i;
      continue;
    }
    char c = text[i];
    bool last = i + 1 == text.size() || text.substr(i + 1, 2) == "\r\n";
    bool blank = c == ' ' || c == '\t';
    // A dot that begins a line would have to be doubled on the way, and some servers forget to.
    bool as_it_is = blank ? !last : is_plain(c) && c != '=' && !(c == '.' && column == 0);
    if (column + (as_it_is ? 1 : 3) > line_bytes - (last ? 0 : 1)) {
      out += "=\r\n";
      column = 0;
      as_it_is = as_it_is && c != '.';
    }
    auto byte = static_cast<unsigned char>(c);
    if (as_it_is)
      out += c;
    else
      out += {'=', digits[byte >> 4], digits[byte & 15]};
    column += as_it_is ? 1 : 3;
  }
  return out;
}

std::string mail_date(Instant at) {
  constexpr std::array days{"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr int64_t day_ms = 86'400'000;
  int64_t day = at.ms / day_ms - (at.ms % day_ms < 0 ? 1 : 0);
  int64_t second = (at.ms - day * day_ms) / 1'000;
  CivilDate date = civil_from_days(day);
  char text[64];
  std::snprintf(text, sizeof text, "%s, %d %s %04lld %02d:%02d:%02d +0000",
                days[static_cast<size_t>((day % 7 + 7) % 7)], date.day,
                months[static_cast<size_t>(date.month - 1)], static_cast<long long>(date.year),
                static_cast<int>(second / 3'600), static_cast<int>(second / 60 % 60),
                static_cast<int>(second % 60));
  return text;
}

std::string composed(const Message& message) {
  std::string body = with_crlf(message.body);
  std::string_view encoding = encoding_for(body);
  std::string out = "Date: " + mail_date(message.date) + "\r\n";
  add_addresses(out, "From", {message.from});
  if (message.to.empty())
    out += "To: undisclosed-recipients:;\r\n";
  else
    add_addresses(out, "To", message.to);
  if (!message.cc.empty()) add_addresses(out, "Cc", message.cc);
  out += "Message-ID: " + message.message_id + "\r\n";
  constexpr std::string_view subject = "Subject: ";
  out.append(subject).append(header_text(message.subject, subject.size())).append("\r\n");
  out += "MIME-Version: 1.0\r\nContent-Type: text/";
  out += message.html ? "html" : "plain";
  out += "; charset=utf-8\r\nContent-Transfer-Encoding: ";
  out.append(encoding).append("\r\n\r\n");
  if (encoding == "base64")
    out += base64_lines(body);
  else
    out += encoding == "7bit" ? body : quoted_printable(body);
  return out;
}

}  // namespace fermata::mail
