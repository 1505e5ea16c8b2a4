#pragma once
#include "core/flow/expression.h"
#include "core/flow/script.h"

namespace fermata::flow {

struct CompiledScript {
  CheckedScript checked;
  Expression script;  ///< empty when there are errors
};

/// Checks a script and, if nothing is wrong with it, compiles it.
CompiledScript compile_script(std::string_view source, const ScriptOptions& options = {});

}  // namespace fermata::flow
