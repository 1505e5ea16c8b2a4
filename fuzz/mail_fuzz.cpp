#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "core/mail/message.h"

/// Any text as addresses, subject and body of a mail: it has the headers it should have and no
/// other, in short lines of ASCII.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  mail::Message message;
  message.from = {"", "a@b.test"};
  message.message_id = "<1@b.test>";
  message.subject = text;
  message.body = text;
  if (auto read = mail::read_addresses(text)) {
    message.to = *read;
    message.cc = *read;
  }
  std::string whole = mail::composed(message);
  std::string_view rest = whole;
  size_t headers = 0;
  bool in_head = true;
  while (!rest.empty()) {
    size_t end = rest.find("\r\n");
    check(end != rest.npos && end <= 998);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    check(std::all_of(line.begin(), line.end(),
                      [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; }));
    if (in_head && line.empty()) in_head = false;
    if (in_head && line.front() != ' ') ++headers;
  }
  check(headers == (message.cc.empty() ? 8 : 9));
  return 0;
}
