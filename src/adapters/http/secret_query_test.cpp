#include "adapters/http/secret_query.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

const QueryPairs key = {{"api key", "a&b=c/\xc3\xa9"}};
const std::string written = "api%20key=a%26b%3dc%2f%c3%a9";

TEST(SecretQuery, is_added_behind_what_is_written) {
  EXPECT_EQ(with_query("http://h/p", key), "http://h/p?" + written);
  EXPECT_EQ(with_query("http://h/p?x=1", key), "http://h/p?x=1&" + written);
  EXPECT_EQ(with_query("http://h/p?", key), "http://h/p?" + written);
  EXPECT_EQ(with_query("http://h/p#top", key), "http://h/p?" + written + "#top");
  EXPECT_EQ(with_query("http://h/p?", {}), "http://h/p?");
  EXPECT_EQ(without_query("http://h/p?", {}), "http://h/p?");
}

TEST(SecretQuery, a_parameter_written_in_the_node_wins) {
  EXPECT_EQ(with_query("http://h/?api+key=mine", key), "http://h/?api+key=mine");
  EXPECT_EQ(with_query("http://h/?api%20key", key), "http://h/?api%20key");
}

TEST(SecretQuery, is_taken_away_in_every_spelling) {
  for (const char* spelling : {"api%20key=a%26b%3dc%2f%c3%a9", "api+key=a%26b%3Dc/%C3%A9",
                               "%61pi%20key=a%26b=c%2F\xc3\xa9"}) {
    std::string query = std::string("?x=1&") + spelling + "&y=2";
    EXPECT_EQ(without_query("http://h/" + query + "#f", key), "http://h/?x=1&y=2#f") << spelling;
  }
  EXPECT_EQ(without_query("http://h/?" + written, key), "http://h/");
  EXPECT_EQ(without_query("http://h/?api+key=other", key), "http://h/?api+key=other");
  EXPECT_EQ(without_query("http://h/?%zz=%", key), "http://h/?%zz=%");
}

TEST(Redaction, leaves_nothing_of_what_is_hidden) {
  std::string text = "s3cret and s3cret, s3crets3cret.";
  redact(text, {"s3cret", ""});
  EXPECT_EQ(text, "*** and ***, ******.");
  redact(text, {"absent"});
  EXPECT_EQ(text, "*** and ***, ******.");
}

}  // namespace
}  // namespace fermata::http
