#pragma once
#include "front/definitions.h"
#include "host/definitions.h"

namespace fermata::server {

/// Lets the engine use the definitions the API has compiled.
class EngineDefinitions final : public Definitions {
 public:
  explicit EngineDefinitions(front::Definitions& definitions) : definitions_(definitions) {}
  Outcome<graph::DefinitionRef> definition(const DefinitionHash& hash) override {
    return definitions_.load(hash);
  }

 private:
  front::Definitions& definitions_;
};

}  // namespace fermata::server
