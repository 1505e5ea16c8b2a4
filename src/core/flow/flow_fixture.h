#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json.h"
#include "core/flow/expression.h"

/// For tests: texts in, JSON texts out, so that a test reads as a list of sentences and meanings.
namespace fermata::flow {

/// Roots given as one JSON object.
class JsonRoots final : public Roots {
 public:
  explicit JsonRoots(std::string_view text = "{}") {
    auto parsed = parse_json(text);
    EXPECT_TRUE(parsed) << text;
    if (parsed) roots_ = *std::move(parsed);
  }
  std::optional<Value> root(std::string_view name) const override {
    const Value* found = roots_.find(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

 private:
  Value roots_;
};

struct Evaluation {
  Grammar grammar = Grammar::expression;
  std::string_view roots = "{}";
  EvalLimits limits{};
  ParseLimits parse_limits{};
  Instant now{1'769'385'600'000};
  uint64_t entropy = 7;
  const ZoneTable* zones = nullptr;

  /// The value as JSON, or the code and message of what went wrong.
  std::string operator()(std::string_view text) const {
    auto parsed = parse(text, grammar, parse_limits);
    if (!parsed) return parsed.error().code + ": " + parsed.error().message;
    EvalGiven given{now, entropy, limits, zones};
    if (grammar == Grammar::fragment) given.limits.steps_max = 1'000'000;
    auto value = evaluate(*parsed, JsonRoots(roots), given);
    if (!value) return value.error().code + ": " + value.error().message;
    return to_json(*value);
  }
  EvalError error(std::string_view text) const {
    auto parsed = parse(text, grammar, parse_limits);
    EXPECT_TRUE(parsed) << text;
    if (!parsed) return {};
    EvalGiven given{now, entropy, limits, zones};
    auto value = evaluate(*parsed, JsonRoots(roots), given);
    EXPECT_FALSE(value) << text;
    return value ? EvalError{} : value.error();
  }
};

inline std::string evaluated(std::string_view text, std::string_view roots = "{}") {
  return Evaluation{.roots = roots}(text);
}
inline std::string run_code(std::string_view text, std::string_view roots = "{}") {
  return Evaluation{.grammar = Grammar::fragment, .roots = roots}(text);
}
inline std::string condition(std::string_view text, std::string_view roots = "{}") {
  auto parsed = parse(text, Grammar::condition);
  if (!parsed) return parsed.error().code + ": " + parsed.error().message;
  auto truth = holds(*parsed, JsonRoots(roots), {});
  if (!truth) return truth.error().code + ": " + truth.error().message;
  return *truth ? "true" : "false";
}
inline SyntaxError mistake(std::string_view text, Grammar grammar = Grammar::expression) {
  auto parsed = parse(text, grammar);
  EXPECT_FALSE(parsed) << text;
  return parsed ? SyntaxError{} : parsed.error();
}

}  // namespace fermata::flow
