#include "core/mail/message.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/hash.h"
#include "base/random.h"

namespace fermata::mail {
namespace {

Message hello() {
  Message message;
  message.from = {"Ada", "ada@a.test"};
  message.to = {{"", "b@b.test"}};
  message.subject = "Hello";
  message.body = "One\nTwo";
  message.message_id = "<1@a.test>";
  message.date = Instant{1'772'359'200'000};
  return message;
}

/// Reads quoted-printable back, as a reader of mails would.
std::string unquoted_printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out += text[i];
      continue;
    }
    std::string byte;
    if (text.substr(i + 1, 2) != "\r\n" && unhex(text.substr(i + 1, 2), byte)) out += byte;
    i += 2;
  }
  return out;
}

/// Puts encoded words together again.
std::string unencoded(std::string_view text) {
  std::string out, bytes;
  while (!text.empty()) {
    EXPECT_TRUE(text.starts_with("=?UTF-8?B?")) << text;
    size_t end = text.find("?=");
    EXPECT_TRUE(unbase64(text.substr(10, end - 10), bytes));
    out += bytes;
    text.remove_prefix(std::min(text.size(), end + 5));
  }
  return out;
}

size_t longest_line(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find("\r\n"), text.size());
    longest = std::max(longest, end);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return longest;
}

TEST(MailMessage, a_plain_mail_is_readable_as_it_is) {  // G-37
  EXPECT_EQ(composed(hello()),
            "Date: Sun, 1 Mar 2026 10:00:00 +0000\r\n"
            "From: Ada <ada@a.test>\r\n"
            "To: b@b.test\r\n"
            "Message-ID: <1@a.test>\r\n"
            "Subject: Hello\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: 7bit\r\n"
            "\r\n"
            "One\r\nTwo\r\n");
}

TEST(MailMessage, names_copies_and_html) {  // G-37
  Message message = hello();
  message.from.name = "Lovelace, \"Ada\"";
  message.to = {};
  message.cc = {{"Jürgen", "j@b.test"}, {"B. C.", "c@b.test"}};
  message.html = true;
  message.body = "<p>mostly plain: ü</p>";
  std::string text = composed(message);
  EXPECT_NE(text.find("From: \"Lovelace, \\\"Ada\\\"\" <ada@a.test>\r\n"), text.npos) << text;
  EXPECT_NE(text.find("To: undisclosed-recipients:;\r\n"), text.npos);
  EXPECT_NE(text.find("Cc: =?UTF-8?B?SsO8cmdlbg==?= <j@b.test>,\r\n \"B. C.\" <c@b.test>\r\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("Content-Type: text/html; charset=utf-8\r\n"), text.npos);
  EXPECT_NE(text.find("quoted-printable\r\n\r\n<p>mostly plain: =C3=BC</p>\r\n"), text.npos)
      << text;
}

TEST(MailMessage, a_subject_stays_one_header) {  // G-37
  EXPECT_EQ(header_text("Hi\r\nBcc: x@y\t!\n", 9), "Hi Bcc: x@y ! ");
  EXPECT_EQ(header_text("", 9), "");
  EXPECT_EQ(unencoded(header_text("=?UTF-8?B?YQ==?=", 9)), "=?UTF-8?B?YQ==?=");
  EXPECT_EQ(unencoded(header_text("Grüße", 9)), "Grüße");
  std::string long_word(2'000, 'x');
  EXPECT_EQ(unencoded(header_text(long_word, 9)), long_word);
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  std::string folded = header_text(words, 9);
  EXPECT_LE(longest_line(folded), 76U);
  folded.erase(
      std::remove_if(folded.begin(), folded.end(), [](char c) { return c == '\r' || c == '\n'; }),
      folded.end());
  EXPECT_EQ(folded, words);
}

TEST(MailMessage, encoded_words_are_short_and_split_between_characters) {  // G-37
  std::string snow;
  for (int i = 0; i < 100; ++i) snow += i % 3 ? "☃" : "é";
  std::string header = header_text(snow, 9);
  EXPECT_LE(longest_line("Subject: " + header), 76U);
  EXPECT_EQ(unencoded(header), snow);
  for (std::string_view rest = header; !rest.empty();) {
    size_t end = rest.find("?=");
    std::string bytes;
    ASSERT_TRUE(unbase64(rest.substr(10, end - 10), bytes));
    EXPECT_NE(bytes[0] & 0xc0, 0x80);
    rest.remove_prefix(std::min(rest.size(), end + 5));
  }
}

TEST(MailMessage, the_encoding_suits_the_text) {  // G-37
  EXPECT_EQ(encoding_for("plain\r\n"), "7bit");
  EXPECT_EQ(encoding_for(std::string(999, 'x')), "quoted-printable");
  EXPECT_EQ(encoding_for("mostly plain, with one é\r\n"), "quoted-printable");
  EXPECT_EQ(encoding_for("日本語のメール\r\n"), "base64");
  EXPECT_EQ(quoted_printable("a=b \r\n.c\t\r\n"), "a=3Db=20\r\n=2Ec=09\r\n");
}

TEST(MailMessage, any_text_comes_back_from_quoted_printable) {  // G-37
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (uint64_t left = random.below(400); left > 0; --left) {
      uint64_t kind = random.below(12);
      text += kind == 0   ? "\r\n"
              : kind == 1 ? "."
              : kind == 2 ? " "
              : kind == 3 ? "="
              : kind == 4 ? "é"
                          : std::string(1, static_cast<char>('a' + random.below(26)));
    }
    std::string encoded = quoted_printable(text);
    EXPECT_EQ(unquoted_printable(encoded), text);
    EXPECT_LE(longest_line(encoded), 76U);
    EXPECT_EQ(encoded.find("\r\n."), encoded.npos);
    EXPECT_EQ(encoded.find(" \r\n"), encoded.npos);
  }
}

TEST(MailMessage, dates_of_all_kinds) {
  EXPECT_EQ(mail_date(Instant{0}), "Thu, 1 Jan 1970 00:00:00 +0000");
  EXPECT_EQ(mail_date(Instant{-1'000}), "Wed, 31 Dec 1969 23:59:59 +0000");
  EXPECT_EQ(mail_date(Instant{1'763'409'627'999}), "Mon, 17 Nov 2025 20:00:27 +0000");
}

}  // namespace
}  // namespace fermata::mail
