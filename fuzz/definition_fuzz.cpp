#include <cstdint>

#include "base/check.h"
#include "base/json.h"
#include "core/graph/check.h"

/// Any document: findings, or a definition whose canonical form compiles to the same hash.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fermata;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto document = parse_json(text);
  if (!document) return 0;
  graph::CheckedDefinition checked = graph::check_definition(*document, text);
  check(checked.errors.empty() == (checked.definition != nullptr));
  if (!checked.definition) return 0;
  auto again = graph::compile_definition(checked.definition->canonical);
  check(again && (*again)->hash == checked.definition->hash);
  return 0;
}
