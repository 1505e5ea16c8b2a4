#pragma once
#include <deque>
#include <map>

#include "core/graph/check.h"
#include "front/definitions.h"
#include "front/rune/options.h"
#include "front/vault.h"
#include "ports/clock.h"
#include "ports/interpreter.h"
#include "ports/outbox.h"
#include "ports/reader.h"

namespace fermata::rune {

/// Reads messages in the words of Rune (C-55 to C-57): starts, resumes and timeouts.
class RuneInterpreter final : public Interpreter {
 public:
  struct Parts {
    Catalog& catalog;
    Reader& reader;
    Outbox& outbox;
    front::Definitions& definitions;
    front::Vault& vault;
    const Clock& clock;
  };
  RuneInterpreter(Parts parts, Options options, graph::DefinitionLimits limits)
      : parts_(parts), options_(std::move(options)), limits_(std::move(limits)) {}

  Reading read(const BusDelivery& delivery) override;
  Reading refused(const BusDelivery& delivery, const Error& error) override;

 private:
  /// From `workflow.execution` or `workflow.resume`.
  Reading read_node(const BusDelivery& delivery, const Value& body);
  Reading token_of(const BusDelivery& delivery, const Value& body,
                   const graph::DefinitionRef& definition, bool resumes);
  Reading resume_by_step(const BusDelivery& delivery, const Value& body);
  Reading read_timeout(const BusDelivery& delivery, const Value& body);
  Outcome<graph::DefinitionRef> definition_of_known(const Value& body, const RunSummary& known);
  graph::CheckedDefinition check(const Value& document) const;
  /// The definition of a message, stored and ready; a stand-in that fails where it has mistakes.
  Outcome<graph::DefinitionRef> definition_of(const Value& body);
  Outcome<graph::DefinitionRef> keep(const graph::CheckedDefinition& checked, const Value& body);
  Outcome<void> keep_credentials(const Value& document);

  const Parts parts_;
  const Options options_;
  const graph::DefinitionLimits limits_;
  /// The latest definitions by the hash of their text: most messages bring one that is known.
  std::map<std::string, graph::DefinitionRef> known_;
  std::deque<std::string> known_order_;
};

/// What a message is known by (C-53).
std::string mark_of(const BusDelivery& delivery);

}  // namespace fermata::rune
