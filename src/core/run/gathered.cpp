#include "core/run/gathered.h"

#include "core/run/decide.h"
#include "core/run/tokens.h"

namespace fermata {

std::optional<Value> GatheredOutputs::follow(const Event& event,
                                             const graph::Definition& definition) {
  // Borrowed for the length of the call that reads the history.
  run_.definition = graph::DefinitionRef(graph::DefinitionRef(), &definition);
  const auto* done = std::get_if<NodeSucceeded>(&event.body);
  std::optional<Value> output;
  if (done && run_.tokens.at(done->activation.token).gathers != 0) {
    ScopeId scope = run_.tokens.at(done->activation.token).gathers;
    output = gathered_output(run_.scopes.at(scope), done->output.get("drop_ended") == Value(true));
  }
  evolve(run_, event);
  return output;
}

}  // namespace fermata
