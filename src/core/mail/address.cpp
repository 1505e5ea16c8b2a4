#include "core/mail/address.h"

#include <algorithm>

#include "base/words.h"

namespace fermata::mail {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool breaks_a_line(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Words of the characters that an address may have without quotes, separated by single dots.
bool is_dotted(std::string_view text, std::string_view marks) {
  char before = '.';
  for (char c : text) {
    if (c == '.' ? before == '.' : !is_letter_or_digit(c) && marks.find(c) == marks.npos)
      return false;
    before = c;
  }
  return before != '.';
}

bool is_quoted_local_part(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
  }
  return true;
}

bool is_domain(std::string_view text) {
  if (text.empty() || text.size() > domain_bytes_max) return false;
  // `[192.0.2.1]` or `[IPv6:2001:db8::1]`.
  if (text.front() == '[')
    return text.size() > 2 && text.back() == ']' &&
           std::all_of(text.begin() + 1, text.end() - 1,
                       [](char c) { return is_letter_or_digit(c) || c == '.' || c == ':'; });
  return is_dotted(text, "-_");
}

/// What is wrong with an address, or nothing.
std::string complaint_about(std::string_view address) {
  size_t at = address.rfind('@');
  if (at == address.npos) return quoted(address) + " is no mail address: it has no @.";
  if (!is_ascii(address))
    return quoted(address) + " has letters beyond ASCII; write the domain in its xn-- form.";
  std::string_view local = address.substr(0, at);
  bool named = is_dotted(local, "!#$%&'*+/=?^_`{|}~-") || is_quoted_local_part(local);
  if (!named || local.size() > local_part_bytes_max || !is_domain(address.substr(at + 1)))
    return quoted(address) + " is no mail address.";
  return "";
}

/// A name as it is meant: without quotes and what they escape.
std::string unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

/// Where the first of `marks` stands outside quotes; npos when nowhere.
size_t find_outside_quotes(std::string_view text, std::string_view marks) {
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inside && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      inside = !inside;
    } else if (!inside && marks.find(text[i]) != marks.npos) {
      return i;
    }
  }
  return inside ? text.size() : std::string_view::npos;
}

Result<Address, std::string> read_one(std::string_view text) {
  size_t open = find_outside_quotes(text, "<");
  if (open == text.size()) return Failure{quoted(text) + " has a quote that does not end."};
  Address read;
  std::string_view address = text;
  if (open != text.npos) {
    if (!text.ends_with('>')) return Failure{quoted(text) + " has a < without its > at the end."};
    read.name = unquoted(text.substr(0, open));
    address = trimmed(text.substr(open + 1, text.size() - open - 2));
  }
  if (std::string complaint = complaint_about(address); !complaint.empty())
    return Failure{std::move(complaint)};
  read.address = address;
  return read;
}

/// The length of the first entry. A comma inside < > belongs to a quoted local part or is a mistake
/// of the address, either way not the end of it.
size_t entry_size(std::string_view text) {
  return std::min(find_outside_quotes(text, ",;"), text.size());
}

}  // namespace

Result<std::vector<Address>, std::string> read_addresses(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), breaks_a_line))
    return Failure{std::string("A mail address holds a line break or another control character.")};
  std::vector<Address> all;
  while (!text.empty()) {
    std::string_view entry = text.substr(0, entry_size(text));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    entry = trimmed(entry);
    if (entry.empty()) continue;
    auto read = read_one(entry);
    if (!read) return Failure{std::move(read).error()};
    all.push_back(*std::move(read));
  }
  return all;
}

}  // namespace fermata::mail
