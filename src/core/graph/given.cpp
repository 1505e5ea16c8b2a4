#include "core/graph/advance.h"

namespace fermata::graph {

flow::EvalGiven expression_given(Step& step) {
  const RunLimits& limits = step.given.limits;
  return {
      step.at,
      // Two activations of one decision must not draw the same numbers.
      step.given.entropy ^ step.run.last_sequence,
      {limits.expression_steps_max, limits.expression_text_bytes_max, limits.code_memory_bytes_max},
      step.given.zones.get(),
      &step.pool};
}

flow::EvalGiven code_given(Step& step) {
  flow::EvalGiven given = expression_given(step);
  given.limits.steps_max = step.given.limits.code_steps_max;
  given.limits.text_bytes_max = step.given.limits.code_memory_bytes_max;
  return given;
}

void begin_activation(Step& step) {
  step.steps += step.pool.steps_max - step.pool.left;
  uint64_t most = step.given.limits.activation_steps_max;
  step.pool = {most, most};
}

}  // namespace fermata::graph
