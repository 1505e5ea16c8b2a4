#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/mail/address.h"

/// A mail as its servers carry it (RFC 5322 and MIME): ASCII, short lines, CRLF.
namespace fermata::mail {

struct Message {
  Address from;
  std::vector<Address> to;
  std::vector<Address> cc;
  std::string subject;  ///< control characters become blanks
  std::string body;     ///< text or HTML; any line ends
  bool html = false;
  std::string message_id;  ///< with its angle brackets
  Instant date;
};

/// The whole message. Blind copies are for the envelope alone.
std::string composed(const Message& message);

/// A text as the value of a header: as it is when plain ASCII does, else as encoded words (RFC
/// 2047), folded. `column` is where the value begins.
std::string header_text(std::string_view text, size_t column);
/// The transfer encoding that suits a text with CRLF line ends: 7bit, quoted-printable or base64.
std::string_view encoding_for(std::string_view text);
std::string quoted_printable(std::string_view text);
/// `Tue, 17 Nov 2026 20:00:00 +0000`
std::string mail_date(Instant at);

}  // namespace fermata::mail
