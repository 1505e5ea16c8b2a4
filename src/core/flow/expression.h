#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/value.h"

namespace fermata {
class ZoneTable;
}

/// The pure part of the flow language: expressions, conditions and `code` fragments. Texts are
/// parsed once, when a definition is loaded, and evaluated any number of times. Evaluation is
/// metered and depends on nothing but its arguments.
namespace fermata::flow {

/// Which sentences are legal: `expression` is what stands inside `{{ }}`; `condition` adds the
/// words and/or/not/contains, bare words and loose comparison (G-16); `fragment` is a statement
/// list without await and effects whose `return` gives the value (G-51); `script` is a whole file
/// of the flow language (F-1).
enum class Grammar : uint8_t { expression, condition, fragment, script };

struct SyntaxError {
  std::string code;  ///< `expression_invalid`, `code_not_pure` or `limit_exceeded` (tree size)
  std::string message;
  size_t offset = 0;  ///< bytes from the start of the text
  int line = 1;
  int column = 1;
};

struct EvalError {
  std::string code;  ///< `unresolved_reference`, `expression_failed`, `expression_limit`,
                     ///< `code_failed`, `code_limit`
  std::string message;
  Value details;  ///< e.g. {"references": [{"reference": "$No.x", "missing": "$No"}]}
  int line = 0;
  int column = 0;
};

/// What `$name` means where the expression stands. Names come without the dollar sign.
class Roots {
 public:
  virtual ~Roots() = default;
  virtual std::optional<Value> root(std::string_view name) const = 0;
};

/// What an evaluation may use up and what it may know of the world.
struct EvalLimits {
  uint64_t steps_max = 10'000;
  uint64_t text_bytes_max = 1 << 20;
  uint64_t memory_bytes_max = 32 << 20;
  uint64_t list_items_max = UINT64_MAX;
  uint32_t call_depth_max = 500;
};
/// Steps that several evaluations share, so that what each of them may take does not add up without
/// end: those of one activation (G-110).
struct StepPool {
  /// What beginning and ending an evaluation costs beside its steps: of short ones it is the most.
  static constexpr uint64_t evaluation_steps = 10;

  uint64_t steps_max = 0;
  uint64_t left = 0;
  /// Takes steps for work outside an evaluation; false when they are used up.
  [[nodiscard]] bool charge(uint64_t steps) {
    if (left < steps) return false;
    left -= steps;
    return true;
  }
};
struct EvalGiven {
  Instant now;
  uint64_t entropy = 0;
  EvalLimits limits;
  const ZoneTable* zones = nullptr;  ///< none: UTC and fixed offsets
  StepPool* pool = nullptr;          ///< borrowed; null: nothing is shared
};
/// What a limit on the steps of a whole activation says.
std::string pool_exhausted(const StepPool& pool);

/// A parsed text; immutable and shared by copies.
class Expression {
 public:
  struct Program;
  Expression() = default;
  explicit Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  explicit operator bool() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }
  /// Names of the roots it mentions, without the dollar sign, each once, in order.
  const std::vector<std::string>& roots() const;

 private:
  std::shared_ptr<const Program> program_;
};

struct ParseLimits {
  size_t tree_nodes_max = 1'000;  ///< fragments take ten times as many
  /// Node names of the definition: in condition text `$my-node` takes the longest one (G-13).
  const std::vector<std::string>* names = nullptr;
};

Result<Expression, SyntaxError> parse(std::string_view text, Grammar grammar,
                                      ParseLimits limits = {});
Result<Value, EvalError> evaluate(const Expression& expression, const Roots& roots,
                                  const EvalGiven& given);
/// Evaluates a condition or expression to its truth by the rules of G-16.
Result<bool, EvalError> holds(const Expression& condition, const Roots& roots,
                              const EvalGiven& given);

/// The comparison of rules in `switch` and `filter` (G-16). Unknown operators are caught when the
/// definition is checked.
bool is_rule_operator(std::string_view name);
Result<bool, EvalError> compare_by_rule(const Value& left, std::string_view operator_name,
                                        const Value& right);
/// False, null, 0 and "" are false; everything else is true.
bool truthy(const Value& value);

}  // namespace fermata::flow
