#pragma once
#include "core/flow/expression.h"
#include "core/model/run.h"

namespace fermata::graph {

/// What `$name` means for a token: outputs on its own path, the item of its branch, the run's
/// input.
class TokenRoots : public flow::Roots {
 public:
  TokenRoots(const Run& run, Lineage lineage, const Context& context, Instant now)
      : run_(run), lineage_(lineage), context_(context), now_(now) {}
  std::optional<Value> root(std::string_view name) const override;

 private:
  std::optional<Value> node_output(std::string_view name) const;
  Value about_run() const;

  const Run& run_;
  Lineage lineage_;
  const Context& context_;
  Instant now_;
};

}  // namespace fermata::graph
