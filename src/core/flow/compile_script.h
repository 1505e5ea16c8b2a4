#pragma once
#include "core/flow/expression.h"
#include "core/flow/script.h"

namespace fermata::flow {

struct Ast;
struct FunctionScope;
class Issues;

struct CompiledScript {
  CheckedScript checked;
  Expression script;  ///< empty when there are errors
};

/// Checks a script and, if nothing is wrong with it, compiles it.
CompiledScript compile_script(std::string_view source, const ScriptOptions& options = {});

/// The code of a script that has passed its checks. One that has more parts than instructions can
/// name is refused like any other mistake.
Expression compile_checked(const Ast& ast, const FunctionScope& scope, const std::string& source,
                           bool rhythm, Issues& issues);

}  // namespace fermata::flow
