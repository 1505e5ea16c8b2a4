#include "front/start_request.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

Outcome<StartRequest> read(std::string_view text) { return read_start(*parse_json(text)); }

TEST(StartRequest, nothing_is_required) {
  auto request = read_start(Value());
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->input.is_object());
  EXPECT_FALSE(request->version);
}

TEST(StartRequest, reads_every_field) {
  auto request = read(R"({"input":[1],"version":3,"labels":{"a":"b"},"contact_id":"c",
                          "start_at":"2026-01-01T01:00:00+01:00","timeout_ms":0})");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->input.is_array());
  EXPECT_EQ(request->version, 3u);
  EXPECT_EQ(request->labels.get("a"), Value("b"));
  EXPECT_EQ(request->contact_id, "c");
  EXPECT_EQ(to_rfc3339(*request->start_at), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(request->timeout_ms, 0);
}

TEST(StartRequest, tells_every_bad_field) {
  auto request = read(R"({"version":1.5,"labels":{"a":1,"":"x"},"contact_id":7,"timeout_ms":-1,
                          "start_at":1,"extra":1})");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, ErrorCode::invalid_field);
  EXPECT_EQ(request.error().findings.size(), 7u);
}

TEST(StartRequest, a_contact_is_named_by_an_id) {
  EXPECT_EQ(read(R"({"contact_id":"c-17@crm.example"})")->contact_id, "c-17@crm.example");
  for (const char* bad :
       {R"("")", R"("a b")", R"("a/b")", R"("\u00fc")", "7",
        R"("0123456789012345678901234567890123456789012345678901234567890123456789)"
        R"(0123456789012345678901234567890")"}) {
    auto request = read(std::string(R"({"contact_id":)") + bad + "}");
    ASSERT_FALSE(request) << bad;
    EXPECT_EQ(request.error().code, ErrorCode::invalid_id) << bad;
  }
}

TEST(StartRequest, labels_are_limited) {
  Value labels = Value::object();
  for (int i = 0; i < 65; ++i) labels.set("l" + std::to_string(i), "x");
  EXPECT_FALSE(read_start(Value::object({{"labels", labels}})));
  labels.erase("l0");
  EXPECT_TRUE(read_start(Value::object({{"labels", labels}})));
}

TEST(RequestHash, tells_requests_apart_but_not_their_spelling) {  // A-4
  Value one = *parse_json(R"({"a":1,"b":{"c":2,"d":3}})");
  Value same = *parse_json(R"({ "b": {"d":3,"c":2}, "a":1 })");
  Value other = *parse_json(R"({"a":2})");
  EXPECT_EQ(request_hash("POST /x", one), request_hash("POST /x", same));
  EXPECT_NE(request_hash("POST /x", one), request_hash("POST /y", one));
  EXPECT_NE(request_hash("POST /x", one), request_hash("POST /x", other));
}

}  // namespace
}  // namespace fermata::front
