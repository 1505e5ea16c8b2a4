#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "core/flow/script.h"

/// Checking any bytes whatever ends, with places inside the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  bool rhythm = !text.empty() && text[0] == 'R';
  auto checked = fermata::flow::check_script(text, {.name = "fuzzed", .rhythm = rhythm});
  for (const auto* list : {&checked.errors, &checked.warnings}) {
    for (const fermata::Finding& finding : *list) {
      fermata::check(finding.line >= 1 && finding.column >= 1);
      fermata::check(!finding.message.empty() && !finding.code.empty());
    }
  }
  return 0;
}
