#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "core/flow/expression.h"
#include "core/flow/front_matter.h"

/// The source of a flow script: every static check of the language in one go, and its code.
namespace fermata::flow {

constexpr size_t script_bytes_max = 1 << 20;  ///< F-1

struct ScriptOptions {
  std::string name{};   ///< what it is stored under; a different declared name is a warning
  bool rhythm = false;  ///< as if its front matter said `compat: rhythm`
  bool compile = true;  ///< false where the code is there already
};

struct CheckedScript {
  /// By place; `code` is the rule, `related` are places in words, `path` is left to the caller.
  std::vector<Finding> errors;
  std::vector<Finding> warnings;
  std::string source;  ///< as it is stored and hashed: without byte order mark, line ends as \n
  std::string name;    ///< that the workflow declares, or empty
  FrontMatter front;
  Expression program;  ///< its code; empty when there are errors, or nobody asked for it
};

/// A script as the engine uses it: checked, immutable, shared by all runs that carry its hash.
struct ScriptDefinition {
  DefinitionHash hash;  ///< SHA-256 of the source, in hex
  CheckedScript script;
};
using ScriptRef = std::shared_ptr<const ScriptDefinition>;
ScriptRef make_definition(CheckedScript script);

CheckedScript check_script(std::string_view source, const ScriptOptions& options = {});

/// The form of a source that versions are told apart by (F-54).
std::string normal_source(std::string_view source);

}  // namespace fermata::flow
