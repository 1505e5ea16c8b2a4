#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/flow/expression.h"

namespace fermata::graph {

/// A JSON value whose strings may hold references (`$Fetch.body`) and expressions (`{{ … }}`), at
/// any depth (G-10 to G-13). Parsed when the definition is loaded; values never become source.
class Template {
 public:
  struct Part;
  Template() = default;
  explicit Template(std::shared_ptr<const Part> part) : part_(std::move(part)) {}
  explicit operator bool() const { return part_ != nullptr; }
  const Part& part() const { return *part_; }
  /// True when evaluation gives the same value whatever the context.
  bool constant() const;
  /// Names of the roots it mentions, without the dollar sign, each once, in order.
  std::vector<std::string> roots() const;

 private:
  std::shared_ptr<const Part> part_;
};

/// Parses every string of `value`. Mistakes are added to `findings` as `expression_invalid`, with
/// `path` as the pointer of `value` itself; the mistaken string then stands for itself.
/// `names` are the node names of the definition: a bare reference takes the longest existing name.
Template parse_template(const Value& value, const std::vector<std::string>& names,
                        std::string_view path, std::vector<Finding>& findings,
                        flow::ParseLimits limits = {});

/// One string, evaluated by the same rules.
Result<Value, flow::EvalError> evaluate(const Template& value, const flow::Roots& roots,
                                        const flow::EvalGiven& given);

}  // namespace fermata::graph
