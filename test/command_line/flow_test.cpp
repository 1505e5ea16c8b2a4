#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

const std::vector<std::string> refund = {"flow", "eval", "examples/refund.flow", "--inputs",
                                         R"({"order": 7})"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// F-63
TEST(FlowEval, prints_one_line_and_the_same_bytes_with_and_without_crashes) {
  std::vector<std::string> words =
      with(refund, {"--resume", R"({"amount": 20})", "--resume", "{\"paid\": true}", "--resume",
                    "null", "--states"});
  Finished plain = fermata(words);
  EXPECT_EQ(plain.exit, 0) << plain.err;
  EXPECT_EQ(plain.out.find('\n'), plain.out.size() - 1);
  Value shown = *parse_json(plain.out);
  EXPECT_EQ(shown.get("status"), Value("completed")) << plain.out;
  EXPECT_EQ(shown.get("result").get("paid"), Value(true));
  EXPECT_EQ(shown.get("states").size(), 4u);
  EXPECT_EQ(fermata(words).out, plain.out);
  EXPECT_EQ(fermata(with(words, {"--crash"})).out, plain.out);
}

// F-64
TEST(FlowEval, plays_steps_and_tells_by_its_exit_code_how_it_went) {
  Scratch scratch;
  std::string steps = scratch.path("steps.json");
  std::ofstream(steps) << R"([{"complete": "price_refund", "result": {"amount": 900}},
    {"advance": "2h"}, {"complete": "price_refund", "result": 1}])";
  Finished refused = fermata(with(refund, {"--script", steps}));
  EXPECT_EQ(refused.exit, 0) << refused.err;
  EXPECT_EQ(parse_json(refused.out)->get("result").get("status"), Value("refused"));
  std::ofstream(steps) << R"([{"fail": "price_refund", "error": "no such order"}])";
  Finished failed = fermata(with(refund, {"--script", steps}));
  EXPECT_EQ(failed.exit, 1);
  EXPECT_EQ(parse_json(failed.out)->get("error").get("code"), Value("TASK_FAILED"));
  std::ofstream(steps) << R"([{"complete": "nobody"}])";
  Finished misfit = fermata(with(refund, {"--script", steps}));
  EXPECT_EQ(misfit.exit, 2);
  EXPECT_EQ(parse_json(misfit.out)->get("step_error").get("step"), Value(1));
}

// F-63
TEST(FlowEval, a_refused_script_names_its_mistakes_and_bad_usage_exits_with_2) {
  Finished refused = fermata({"flow", "eval", "-"}, {}, "return nobody");
  EXPECT_EQ(refused.exit, 1);
  Value error = parse_json(refused.out)->get("error");
  EXPECT_EQ(error.get("code"), Value("invalid_definition"));
  EXPECT_EQ(error.get("errors").items()[0].get("rule"), Value("undefined-variable"));
  EXPECT_EQ(fermata({"flow", "eval"}).exit, 2);
  EXPECT_EQ(fermata({"flow", "sing"}).exit, 2);
  EXPECT_EQ(fermata({"flow", "eval", "-", "--inputs", "{"}, {}, "return 1").exit, 2);
}

// F-64
TEST(FlowEval, a_file_of_cases_gives_one_line_each) {
  Scratch scratch;
  std::string cases = scratch.path("cases.jsonl");
  std::ofstream(cases) << R"({"id": "one", "source": "return Inputs + 1", "inputs": 1})" << "\n\n"
                       << R"j({"id": 2, "source": "await Task.run('a')"})j" << "\n";
  Finished finished = fermata({"flow", "eval", "--cases", cases});
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_TRUE(finished.out.starts_with(R"({"id":"one","status":"completed","result":2,)"));
  EXPECT_NE(finished.out.find("\n{\"id\":2,\"status\":\"suspended\""), std::string::npos)
      << finished.out;
}

}  // namespace
}  // namespace fermata::test
