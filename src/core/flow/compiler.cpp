#include "core/flow/compiler.h"

#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "core/flow/compile_script.h"
#include "core/flow/issues.h"
#include "core/flow/lexer.h"
#include "core/flow/library.h"
#include "core/flow/parser.h"
#include "core/flow/resolver.h"

namespace fermata::flow {

Compiler::Compiler(const Ast& ast, CompileOptions options, Expression::Program& program)
    : ast_(ast),
      options_(options),
      program_(program),
      paths_strict_(options.grammar != Grammar::fragment && options.grammar != Grammar::script),
      debug_(options.grammar == Grammar::script || options.prelude) {}

Result<void, SyntaxError> Compiler::run(const FunctionScope& scope) {
  auto& whole = *program_.functions.emplace_back(std::make_unique<Function>());
  whole.program = &program_;
  whole.library = options_.prelude;
  Unit unit;
  unit.function = &whole;
  unit.scope = &scope;
  unit.awaits = options_.grammar == Grammar::script;
  unit_ = &unit;
  if (ast_.root->kind == NodeKind::block) {
    statement(*ast_.root);
    emit(Opcode::null, *ast_.root);
  } else {
    expression(*ast_.root);
  }
  emit(Opcode::give, *ast_.root);
  whole.slots = scope.slots_max;
  if (error_) return Failure{*std::move(error_)};
  return {};
}

void Compiler::fail(const Node& node, std::string message) {
  if (!error_) error_ = syntax_error(ast_.text, node.span.begin, std::move(message));
}

size_t Compiler::emit(Opcode op, const Node& at, uint32_t a, uint32_t b, uint32_t c) {
  bool fits = b <= std::numeric_limits<uint8_t>::max() && c <= std::numeric_limits<uint16_t>::max();
  if (!fits) fail(at, "the text has too many parts");
  Function& function = *unit_->function;
  function.code.push_back({op, static_cast<uint8_t>(b), static_cast<uint16_t>(c), a});
  function.offsets.push_back(at.span.begin);
  return function.code.size() - 1;
}

uint32_t Compiler::here() const { return static_cast<uint32_t>(unit_->function->code.size()); }

void Compiler::land(size_t jump) { unit_->function->code[jump].a = here(); }

void Compiler::land(const Exits& exits) {
  for (size_t jump : exits) land(jump);
}

uint32_t Compiler::constant(const Value& value) {
  auto next = static_cast<uint32_t>(program_.constants.size());
  if (value.is_string()) {
    auto [found, added] = texts_.try_emplace(std::string(value.as_string()), next);
    if (!added) return found->second;
  }
  program_.constants.push_back(value);
  return next;
}

uint32_t Compiler::root_index(std::string_view name) {
  auto found = std::ranges::find(program_.roots, name);
  if (found == program_.roots.end()) {
    program_.roots.emplace_back(name);
    return static_cast<uint32_t>(program_.roots.size() - 1);
  }
  return static_cast<uint32_t>(found - program_.roots.begin());
}

uint32_t Compiler::outer_index(const Unit& unit, const Variable& variable) const {
  const auto& captures = unit.scope->captures;
  return static_cast<uint32_t>(std::ranges::find(captures, &variable) - captures.begin());
}

void Compiler::load(const Node& at, const Variable& variable) {
  if (variable.owner != unit_->scope) {
    emit(Opcode::load_outer, at, outer_index(*unit_, variable));
  } else {
    emit(variable.captured ? Opcode::load_cell : Opcode::load, at, variable.slot);
  }
}

/// `first` marks the declaration itself, which needs no earlier value.
void Compiler::store(const Node& at, const Variable& variable, bool first) {
  if (variable.owner != unit_->scope) {
    emit(Opcode::assign_outer, at, outer_index(*unit_, variable));
  } else if (variable.captured) {
    emit(first ? Opcode::initialise_cell : Opcode::assign_cell, at, variable.slot);
  } else {
    emit(first ? Opcode::initialise : Opcode::assign, at, variable.slot);
    if (first && debug_) unit_->begun.try_emplace(&variable, here());
  }
}

bool make_ready(Expression::Program& program) {
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    Function& function = *program.functions[i];
    function.index = i;
    if (!operands_fit(function)) return false;
    if (function.library && !repeats_at_a_price(function)) return false;
    auto layout = layout_of(function);
    if (!layout) return false;
    function.layout = *std::move(layout);
  }
  for (auto& function : program.functions) make_steps(*function);
  return true;
}

Result<std::shared_ptr<const Expression::Program>, SyntaxError> compile(std::string_view text,
                                                                        CompileOptions options) {
  auto program = std::make_shared<Expression::Program>();
  program->text = text;
  program->grammar = options.grammar;
  program->library_size = builtins_count();
  FERMATA_TRY(ast, Parser(program->text, options.grammar, options.limits).run());
  Resolver::Options resolving{options.grammar, options.prelude};
  FERMATA_TRY(scope, Resolver(ast, resolving).run());
  FERMATA_TRY_VOID(Compiler(ast, options, *program).run(*scope));
  check(make_ready(*program));
  return std::shared_ptr<const Expression::Program>(std::move(program));
}

CompiledScript compile_script(std::string_view source, const ScriptOptions& options) {
  CompiledScript out{check_script(source, options), {}};
  out.script = out.checked.program;
  return out;
}

Expression compile_checked(const Ast& ast, const FunctionScope& scope, const std::string& source,
                           bool rhythm, Issues& issues) {
  auto program = std::make_shared<Expression::Program>();
  program->text = source;
  program->grammar = Grammar::script;
  program->rhythm = rhythm;
  program->library_size = builtins_count();
  program->prelude = prelude_program();
  auto hash = sha256(program->text);
  program->hash.assign(hash.begin(), hash.end());
  CompileOptions compiling;
  compiling.grammar = Grammar::script;
  if (auto compiled = Compiler(ast, compiling, *program).run(scope); !compiled) {
    issues.add(Check::too_large, compiled.error().offset, compiled.error().message);
    return {};
  }
  check(make_ready(*program));
  return Expression(std::move(program));
}

}  // namespace fermata::flow
