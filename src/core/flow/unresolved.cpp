#include "core/flow/unresolved.h"

namespace fermata::flow {

EvalError unresolved_reference(std::string_view reference, std::string_view missing) {
  EvalError out;
  out.code = "unresolved_reference";
  out.message = "`" + std::string(reference) + "` cannot be resolved: `" + std::string(missing) +
                "` is missing";
  Value one = Value::object({{"reference", reference}, {"missing", missing}});
  out.details = Value::object({{"references", Value::array({one})}});
  return out;
}

}  // namespace fermata::flow
