#include "core/flow/expression.h"

#include "core/flow/code.h"
#include "core/flow/machine.h"

namespace fermata::flow {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

}  // namespace

std::string pool_exhausted(const StepPool& pool) {
  return "the evaluations of the node take more than " + std::to_string(pool.steps_max) +
         " steps together (graph_activation_steps_max)";
}

const std::vector<std::string>& Expression::roots() const { return program_->roots; }

Result<Expression, SyntaxError> parse(std::string_view text, Grammar grammar, ParseLimits limits) {
  CompileOptions options;
  options.grammar = grammar;
  options.limits = limits;
  if (grammar == Grammar::condition && trimmed(text).empty()) {
    return Failure{SyntaxError{"expression_invalid", "the condition is empty"}};
  }
  FERMATA_TRY(program, compile(text, options));
  return Expression(std::move(program));
}

Result<Value, EvalError> evaluate(const Expression& expression, const Roots& roots,
                                  const EvalGiven& given) {
  Machine machine(expression.program(), roots, given);
  if (!machine.run()) return Failure{machine.error()};
  return machine.result_value();
}

Result<bool, EvalError> holds(const Expression& condition, const Roots& roots,
                              const EvalGiven& given) {
  Machine machine(condition.program(), roots, given);
  if (!machine.run()) return Failure{machine.error()};
  return Machine::truthy(machine.result());
}

}  // namespace fermata::flow
