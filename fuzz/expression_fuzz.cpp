#include <cstdint>

#include "base/check.h"
#include "core/flow/expression.h"
#include "core/graph/template.h"

namespace {

class SomeRoots : public fermata::flow::Roots {
 public:
  std::optional<fermata::Value> root(std::string_view name) const override {
    using fermata::Value;
    if (name == "json")
      return Value::object({{"a", 1}, {"list", Value::array({1, "two", Value()})}});
    if (name == "item") return Value("text");
    return std::nullopt;
  }
};

}  // namespace

/// Any source: an error with a position, or an evaluation that ends within its budget.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  SomeRoots roots;
  flow::EvalGiven given{Instant{1'700'000'000'000}, 7, {5'000, 1 << 16, 1 << 20}};
  using flow::Grammar;
  for (Grammar grammar : {Grammar::expression, Grammar::condition, Grammar::fragment}) {
    auto parsed = flow::parse(text, grammar);
    if (!parsed) {
      check(!parsed.error().message.empty() && parsed.error().offset <= size);
      continue;
    }
    if (grammar == Grammar::condition) {
      (void)flow::holds(*parsed, roots, given);
    } else {
      (void)flow::evaluate(*parsed, roots, given);
    }
  }
  std::vector<Finding> findings;
  graph::Template value = graph::parse_template(Value(text), {"A", "B"}, "", findings);
  (void)graph::evaluate(value, roots, given);
  return 0;
}
