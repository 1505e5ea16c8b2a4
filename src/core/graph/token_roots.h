#pragma once
#include "core/flow/expression.h"
#include "core/run/step.h"

namespace fermata::graph {

/// What `$name` means for a token: outputs on its own path, the item of its branch, the run's
/// input.
class TokenRoots : public flow::Roots {
 public:
  TokenRoots(const Step& step, Lineage lineage, const Context& context)
      : run_(step.run),
        contact_(step.given.contact.get()),
        lineage_(lineage),
        context_(context),
        now_(step.at) {}
  std::optional<Value> root(std::string_view name) const override;

 private:
  std::optional<Value> node_output(std::string_view name) const;
  Value about_run() const;

  const Run& run_;
  const Contact* contact_;  ///< as it is now, or null
  Lineage lineage_;
  const Context& context_;
  Instant now_;
};

}  // namespace fermata::graph
